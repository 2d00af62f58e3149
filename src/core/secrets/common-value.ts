const COMMON = /^(?:\p{L}{1,12}|.{1,7})$/u;

/** `postgres`, `secret`, `admin1`: found in names and paths that tell nothing by it. */
export function isCommonValue(value: string): boolean {
  return COMMON.test(value);
}
