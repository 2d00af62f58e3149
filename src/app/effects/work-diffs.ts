import type { Escalation } from '../../core/contracts/escalation.ts';
import { GitHubError } from '../../core/ports/github-port.ts';
import { type Changeset, type ChangesetFile, checkChangeset } from '../../core/work/changeset.ts';
import { changesetLimits, digestOfFile, readChangeset } from '../../core/work/examine-work.ts';
import { diffLines } from '../../core/work/line-diff.ts';
import { roundHead } from '../../core/work/round-head.ts';
import type { EffectContext } from './effect-context.ts';

interface MostDiffs {
  files: number;
  chars: number;
}

/** Each diff costs a request, and people look at the first ones. */
const IN_COMMENTS: MostDiffs = { files: 5, chars: 8_000 };

type DiffContext = Pick<EffectContext, 'deps' | 'github' | 'state' | 'target'>;

interface FileDiff {
  path: string;
  diff: string;
}

/** S-7: a question about finished work, with the desk's own diffs of the content that its approval covers. */
export async function withDiffs(
  context: DiffContext,
  escalation: Escalation,
  most: MostDiffs = IN_COMMENTS,
): Promise<Escalation> {
  const { deps } = context;
  const examined = new Map(
    escalation.triggers
      .flatMap(({ evidence }) => evidence.examined ?? [])
      .map(({ path, digest }) => [path, digest]),
  );
  if (examined.size === 0) return escalation;
  const files = (await readWork(context))?.files ?? [];
  const asked = files.filter((file) => examined.get(file.path) === digestOfFile(file, deps.hash));
  const diffs = new Map((await diffFiles(context, asked, most)).map(({ path, diff }) => [path, diff]));
  const triggers = escalation.triggers.map((trigger) => ({
    ...trigger,
    evidence: {
      ...trigger.evidence,
      proposed: trigger.evidence.proposed?.map((write) =>
        write.finished ? { ...write, diff: diffs.get(write.path) } : write,
      ),
    },
  }));
  return { ...escalation, triggers };
}

/** The files that a typed path or the box of a folder allows, whose content nobody was shown, and how many there are. */
export async function unseenWork(
  context: EffectContext,
): Promise<{ files: FileDiff[]; total: number } | undefined> {
  const { deps, state, target } = context;
  if (state.approved_paths.length === 0 && !state.approved_folders?.length) return undefined;
  const work = await readWork(context);
  if (!work) return undefined;
  const inForce = deps.rules.limitsInForce(state.limits);
  const openWith = (approvals: typeof state) => {
    const limits = changesetLimits(approvals, target, work, inForce, deps.hash);
    const checked = checkChangeset(work, { ...limits, maxFiles: 'off' });
    return new Set(checked.ok ? [] : checked.problems.map(({ path }) => path));
  };
  const shownOnly = openWith({ ...state, approved_paths: [], approved_folders: [] });
  const open = openWith(state);
  const unseen = work.files.filter(({ path }) => shownOnly.has(path) && !open.has(path));
  return unseen.length > 0
    ? { files: await diffFiles(context, unseen, IN_COMMENTS), total: unseen.length }
    : undefined;
}

async function readWork({ deps, state, target }: DiffContext): Promise<Changeset | undefined> {
  const bytes = await deps.store.blobs.get(state.run, 'changeset');
  const read = bytes && readChangeset(bytes, roundHead(state, target));
  return read?.ok ? read.changeset : undefined;
}

async function diffFiles(
  { github, state, target }: DiffContext,
  files: readonly ChangesetFile[],
  most: MostDiffs,
): Promise<FileDiff[]> {
  const diffs: FileDiff[] = [];
  for (const { path, mode, content } of files.slice(0, most.files)) {
    const before = await github.file(path, roundHead(state, target)).catch((error: unknown) => {
      // GitHub does not give a file that is too large as text. A question without its diff is better than none.
      if (error instanceof GitHubError && error.retryAfter === undefined && !error.unreachable) return '';
      throw error;
    });
    const text = diffLines(before ?? '', content === null ? '' : decode(content), most.chars);
    const mark = mode === '100755' ? `${path} can be executed\n` : '';
    diffs.push({ path, diff: `${mark}${text}` });
  }
  return diffs;
}

function decode(base64: string): string {
  return new TextDecoder().decode(Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0)));
}
