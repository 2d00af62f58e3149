/** GitHub keeps the case a label was created with, but treats labels that differ only in case as the same. */
export function isSameLabel(one: string | undefined, other: string): boolean {
  return one?.toLowerCase() === other.toLowerCase();
}
