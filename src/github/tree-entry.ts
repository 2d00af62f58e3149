/** One entry of a new tree: inline text, a blob by its SHA, or a deletion. */
export type TreeEntry = { path: string; mode: '100644' | '100755'; type: 'blob' } & (
  | { sha: string | null }
  | { content: string }
);

const MAX_INLINE_FILE_BYTES = 256 * 1024;
const MAX_INLINE_BYTES = 2 * 1024 * 1024;

/**
 * Returns text to inline in the tree, up to a limit over all files, or undefined to upload a blob. Each blob is a separate write,
 * writes are throttled to one per second, and they count against GitHub's content limit.
 */
export function createInliner(): (bytes: Buffer) => string | undefined {
  let left = MAX_INLINE_BYTES;
  return (bytes) => {
    if (bytes.length > Math.min(left, MAX_INLINE_FILE_BYTES)) return undefined;
    const text = bytes.toString('utf8');
    // Only text that survives the round trip byte for byte.
    if (text.includes('\0') || !Buffer.from(text, 'utf8').equals(bytes)) return undefined;
    left -= bytes.length;
    return text;
  };
}
