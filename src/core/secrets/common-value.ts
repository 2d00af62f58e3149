const COMMON = /^(?:\p{L}{1,12}|.{1,7})$/u;

/** True for values such as `postgres`, `secret` or `admin1`, which often occur in names and paths by coincidence. */
export function isCommonValue(value: string): boolean {
  return COMMON.test(value);
}
