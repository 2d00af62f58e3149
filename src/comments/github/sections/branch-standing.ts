import type { Fold } from '../../text/fit-comment.ts';
import { code, inlineText } from '../../text/harmless.ts';
import { marker, small } from '../../text/markdown.ts';
import { count } from '../../text/words.ts';

/** Facts about the run's branch that the run's record does not have. */
export interface BranchStanding {
  /** Files that no commit can contain, according to the job: the first ones and the total. */
  left_out?: LeftOut;
  /** Files that were approved by their path. Nobody was shown their content before. */
  unseen?: { files: readonly { path: string; diff: string }[]; total: number };
  /** Remarks of reviewers that no round has answered. */
  open_remarks?: readonly { author: string; is_bot: boolean }[];
  /** The branch that the pull request conflicts with, and the files that both sides changed. */
  conflict?: { branch: string; files: readonly string[] };
  /** The commit that a round made, if it is known. */
  commitOf?(round: number): string | undefined;
  /** Absent: the repository's CI starts by itself. `approval`: GitHub asks a person before it starts, if there is any. */
  ci?:
    | 'approval'
    | {
        head: string;
        /** The commit on which a person let it run. */
        asked?: { sha: string; by: string };
      };
}

export interface LeftOut {
  files: readonly { path: string; problem: string }[];
  total: number;
}

/** S-7: the diffs that a reviewer has to look at first. */
export function renderUnseen({ files, total }: NonNullable<BranchStanding['unseen']>): Fold {
  const more = total > files.length ? [`${count(total - files.length, 'file')} more of this kind.`] : [];
  return {
    summary: `Review ${total > 1 ? `these ${total} files` : 'this file'} first: approved by ${total > 1 ? 'their paths' : 'its path'}, content not shown before`,
    content: [...files.flatMap(({ path, diff }) => [code(path, 200), { raw: diff, info: 'diff' }]), ...more],
  };
}

const MOST_LEFT_OUT = 20;

/** After a tick the branch has the same files, so a `push` workflow with a `paths` filter sees no change. */
const WHAT_IS_HELD_BACK =
  'Held back: workflows on `push` and `pull_request`; required checks among them stay pending until then. Not held back: workflows on `pull_request_target`, and other services that watch this repository. Workflows on `push` with a `paths` filter may not start even then, because no file changes.';

/** The id of the box that starts CI. It names the commit that a person saw, because a tick counts for no other commit (R-8). */
export function ciBoxId(head: string): string {
  return `ci.${head}`;
}

export function renderCi(ci: NonNullable<BranchStanding['ci']>): string {
  if (ci === 'approval')
    return "**If this repository has CI, it waits for your approval:** it runs with the repository's secrets, and nobody has reviewed this code yet. Review the changes, then choose *Approve and run* at the bottom of this page.";
  const { head, asked } = ci;
  if (asked?.sha === head)
    return `✓ CI runs on ${commitName(head)}, requested by ${inlineText(asked.by, 60)}.`;
  const box = marker('option', { id: ciBoxId(head) });
  return [
    `**CI has not run on ${commitName(head)}:** it runs with the repository's secrets, and nobody has reviewed this code yet. Review the changes, then tick:`,
    `- [ ] ${box} **Run CI on this branch**: for this commit only; new commits need another tick.`,
    small([WHAT_IS_HELD_BACK]),
  ].join('\n\n');
}

function commitName(sha: string): string {
  return code(sha.slice(0, 7), 7);
}

export function renderLeftOut({ files, total }: LeftOut): string | undefined {
  if (total === 0) return undefined;
  const shown = files
    .slice(0, MOST_LEFT_OUT)
    .map(({ path, problem }) => `- ${code(path, 160)}, because ${inlineText(problem, 200)}`);
  const more = total - shown.length;
  if (more > 0) shown.push(`- ${count(more, 'file')} more`);
  return `**Not in this pull request:**\n\n${shown.join('\n')}`;
}
