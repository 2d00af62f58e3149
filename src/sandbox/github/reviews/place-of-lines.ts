import type { Upstream } from '../gap.ts';
import type { NewThread, Thread } from './review-book.ts';

const LINES_ABOVE = 3;

interface Place {
  line: number | null;
  startLine: number | null;
  isOutdated: boolean;
}

/** The lines that a remark means, in any commit. */
export function createPlaces(upstream: Upstream, repository: string) {
  async function linesAt(path: string, ref: string): Promise<string[] | undefined> {
    const { status, body } = await upstream('GET', `${repository}/contents/${path}?ref=${ref}`);
    if (status !== 200) return undefined;
    return Buffer.from((body as { content: string }).content, 'base64')
      .toString('utf8')
      .split('\n');
  }
  return {
    /** The end of the diff that GitHub shows above a remark. All lines of the new side count as added. */
    async hunkOf(
      { path, subject, side, line, start_line }: Omit<NewThread, 'hunk'>,
      { head, base }: { head: string; base: string },
    ): Promise<string | undefined> {
      const lines = await linesAt(path, side === 'LEFT' ? base : head);
      if (!lines) return undefined;
      if (subject === 'FILE' || line === null) return '';
      if (line > lines.length) return undefined;
      const from = Math.max(1, (start_line ?? line) - LINES_ABOVE);
      const sign = side === 'LEFT' ? '-' : '+';
      const shown = lines.slice(from - 1, line).map((text) => `${sign}${text}`);
      return [`@@ -${from},0 +${from},${shown.length} @@`, ...shown].join('\n');
    },

    /** Where the lines of a remark are now. They are gone if the same text is nowhere in the file. */
    async placeNow(thread: Thread, head: string): Promise<Place> {
      const { path, side, line, start_line, commit } = thread;
      const there = { line, startLine: start_line, isOutdated: false };
      const gone = { line: null, startLine: null, isOutdated: true };
      const now = await linesAt(path, head);
      if (line === null) return now ? there : gone;
      if (side === 'LEFT' || commit === head) return there;
      const before = await linesAt(path, commit);
      if (!now || !before) return gone;
      const start = start_line ?? line;
      const wanted = before.slice(start - 1, line).join('\n');
      const found = now.findIndex(
        (_, index) => now.slice(index, index + line - start + 1).join('\n') === wanted,
      );
      const isSame = now.slice(start - 1, line).join('\n') === wanted;
      if (isSame) return there;
      if (found === -1) return gone;
      const moved = found + 1 + line - start;
      return { line: moved, startLine: start_line === null ? null : found + 1, isOutdated: false };
    },
  };
}
