const OUTPUT_KEPT = 32 * 1024;

/** The end of a tool's output, where its failure stands. */
export function outputTail(text: string): string {
  return text.length > OUTPUT_KEPT ? text.slice(-OUTPUT_KEPT) : text;
}
