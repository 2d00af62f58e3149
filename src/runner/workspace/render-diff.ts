import type { StandInNames } from './stand-in.ts';
import { DIFF_OPTIONS, type Tree } from './tree-store.ts';
import type { TrustedGit } from './trusted-git.ts';

const PATHS_PER_COMMAND = 200;
const TIMEOUT_MS = 60_000;

/** The patch from a tree to the index, cut after `maxBytes`. The index must be up to date. */
export async function renderDiff(
  git: TrustedGit,
  names: StandInNames,
  { tree, paths, maxBytes }: { tree: Tree; paths: readonly string[] | undefined; maxBytes: number },
): Promise<{ text: string; cut: boolean }> {
  const named = paths?.flatMap((path) => [path, names.encode(path)]);
  const patches: Buffer[] = [];
  let left = maxBytes;
  let cut = false;
  for (const some of named === undefined ? [[]] : inChunks(named, PATHS_PER_COMMAND)) {
    const args = ['diff-index', '--patch', ...DIFF_OPTIONS, tree, '--', ...some];
    const output = await git.run(args, { maxBytes: Math.max(left, 1), cut: true, timeoutMs: TIMEOUT_MS });
    patches.push(output.text);
    left -= output.text.length;
    cut = output.cut;
    if (cut) break;
  }
  // A character cut in two at the end is dropped rather than shown broken.
  const text = new TextDecoder().decode(Buffer.concat(patches), { stream: cut });
  return { text: names.clean(text), cut };
}

/** All of it to be applied elsewhere, byte for byte. A stand-in is no file that could be made there. */
export async function renderPatch(
  git: TrustedGit,
  names: StandInNames,
  { tree, maxBytes }: { tree: Tree; maxBytes: number },
): Promise<{ bytes: Buffer; cut: boolean }> {
  const args = ['diff-index', '--patch', '--binary', ...DIFF_OPTIONS, tree, '--', '.', names.others];
  const { text, cut } = await git.run(args, { maxBytes, cut: true, timeoutMs: TIMEOUT_MS });
  return { bytes: text, cut };
}

function inChunks<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) =>
    items.slice(at * size, (at + 1) * size),
  );
}
