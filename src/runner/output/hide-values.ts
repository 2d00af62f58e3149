const CREDENTIAL_NAME = /(^|_)(\w*key|\w*token|secrets?|passw(or)?d|credentials?|auth)(_|$)/i;

/** The values in an environment that open something, by the names they go under. */
export function credentialsIn(env: Readonly<Record<string, string>>): string[] {
  return Object.entries(env)
    .filter(([name]) => CREDENTIAL_NAME.test(name))
    .map(([, value]) => value);
}
