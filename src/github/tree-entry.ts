/** One line of a tree to be written: text in place, a blob by its sha, or a deletion. */
export type TreeEntry = { path: string; mode: '100644' | '100755'; type: 'blob' } & (
  | { sha: string | null }
  | { content: string }
);

const MAX_INLINE_FILE_BYTES = 256 * 1024;
const MAX_INLINE_BYTES = 2 * 1024 * 1024;

/**
 * Text goes into the tree itself, up to a limit over all files: each blob is a write of its own, writes are
 * spaced by a second, and they count against GitHub's limit on content. Undefined: send it as a blob.
 */
export function createInliner(): (bytes: Buffer) => string | undefined {
  let left = MAX_INLINE_BYTES;
  return (bytes) => {
    if (bytes.length > Math.min(left, MAX_INLINE_FILE_BYTES)) return undefined;
    const text = bytes.toString('utf8');
    // Only what survives the way there and back, byte for byte.
    if (text.includes('\0') || !Buffer.from(text, 'utf8').equals(bytes)) return undefined;
    left -= bytes.length;
    return text;
  };
}
