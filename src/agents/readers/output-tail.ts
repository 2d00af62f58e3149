const OUTPUT_KEPT = 32 * 1024;

/** The end of a tool's output, because failures are at the end. */
export function outputTail(text: string): string {
  return text.length > OUTPUT_KEPT ? text.slice(-OUTPUT_KEPT) : text;
}
