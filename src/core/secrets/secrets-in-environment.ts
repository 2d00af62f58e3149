const CREDENTIAL_NAME =
  /(^|_)(\w*key|\w*token|\w*secrets?|\w*passw(or)?d|passphrase|(ssh)?pass|credentials?|auth)(_|$)|_pwd$/i;
/** Variables that only say where or which the credential is, such as `SSH_AUTH_SOCK`. */
const NAMES_A_PLACE = /(?:_(?:sock|file|path|dir|name|type)|^google_application_credentials)$/i;

/** The values of all variables whose name looks like a credential's. */
export function secretsInEnvironment(env: Readonly<Record<string, string | undefined>>): string[] {
  const values = Object.entries(env).flatMap(([name, value = '']) =>
    CREDENTIAL_NAME.test(name) && !NAMES_A_PLACE.test(name) && value !== '' ? [value] : [],
  );
  return [...new Set(values)];
}
