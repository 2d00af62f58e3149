const CODES = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);
/** The messages of git and the C library. */
const WORDS = /No space left on device|Out of disk ?space|Disk quota exceeded|File too large/i;
const MAX_CAUSES = 10;

/** True when the error, or one of its causes, is a full disk. */
export function isDiskFull(error: unknown): boolean {
  let at: unknown = error;
  for (let depth = 0; at instanceof Error && depth < MAX_CAUSES; depth += 1) {
    if (CODES.has((at as NodeJS.ErrnoException).code ?? '') || WORDS.test(at.message)) return true;
    at = at.cause;
  }
  return false;
}
