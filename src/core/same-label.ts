/** GitHub keeps the spelling a label was made with, and takes every other for the same label. */
export function isSameLabel(one: string | undefined, other: string): boolean {
  return one?.toLowerCase() === other.toLowerCase();
}
