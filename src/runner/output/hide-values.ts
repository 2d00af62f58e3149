const CREDENTIAL_NAME = /(^|_)(\w*key|\w*token|secrets?|passw(or)?d|credentials?|auth)(_|$)/i;

/** The values in an environment whose variable names are those of credentials. */
export function credentialsIn(env: Readonly<Record<string, string>>): string[] {
  return Object.entries(env)
    .filter(([name]) => CREDENTIAL_NAME.test(name))
    .map(([, value]) => value);
}
