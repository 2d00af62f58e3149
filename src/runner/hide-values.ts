const MASK = '•••';
/** Shorter ones would be found in every other word. */
const MIN_LENGTH = 6;
const CREDENTIAL_NAME = /(^|_)(\w*key|\w*token|secrets?|passw(or)?d|credentials?|auth)(_|$)/i;
/** Statuses, kinds and ids: a claim without them would not be understood any more. */
const IDENTIFIER = /^[a-z_]{1,40}$/;

/** The values in an environment that open something, by the names they go under. */
export function credentialsIn(env: Readonly<Record<string, string>>): string[] {
  return Object.entries(env)
    .filter(([name]) => CREDENTIAL_NAME.test(name))
    .map(([, value]) => value);
}

/** A copy without the values, for where others can read it and nothing else hides them. */
export function hideValues<T>(record: T, values: Iterable<string>): T {
  // The longest first: one may be the beginning of another.
  const hidden = [...new Set(values)]
    .flatMap((value) => [value, value.trim()])
    .filter((value) => value.length >= MIN_LENGTH)
    .sort((one, other) => other.length - one.length);
  return hidden.length === 0 ? record : (hideDeep(record, hidden) as T);
}

function hideDeep(value: unknown, hidden: readonly string[]): unknown {
  if (typeof value === 'string') {
    if (IDENTIFIER.test(value)) return value;
    return hidden.reduce((text, secret) => text.replaceAll(secret, MASK), value);
  }
  if (Array.isArray(value)) return value.map((item) => hideDeep(item, hidden));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, hideDeep(item, hidden)]));
}
