/** A word as a shell takes it, so that a printed line can be pasted. */
export function quoteWord(word: string): string {
  return /^[\w@%+=:,./#-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
