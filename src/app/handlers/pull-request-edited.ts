import { parseComment } from '../../commands/parse-comment.ts';
import { ADDRESS_BOX, UPDATE_BOX } from '../../comments/github/sections/rounds.ts';
import { hasRole } from '../../core/contracts/role.ts';
import type { GitHub } from '../../core/ports/github-port.ts';
import type { AppDependencies } from '../dependencies.ts';
import { write } from '../handle-input.ts';
import { newTicks } from '../ticked-boxes.ts';
import { handleCommand, refuseOnce } from './handle-command.ts';

interface DescriptionEdited {
  repo_id: number;
  number: number;
  before: string;
  body: string;
  /** Undefined if the box is ticked but GitHub does not say by whom. */
  login: string | undefined;
  /** The last change of the pull request, by GitHub's clock. */
  at: string;
  /** The moment of the edit. */
  said_at?: string;
}

const CI_BOX = /^ci\.([0-9a-f]{40})$/;

/** Handles the boxes of our description: *Run CI*, *Address open remarks* and *Update*. Any other edit does nothing. */
export async function onPullRequestEdited(
  deps: AppDependencies,
  github: GitHub,
  edited: DescriptionEdited,
): Promise<void> {
  const ticks = newTicks(edited.before, edited.body);
  const head = ticks.map((id) => CI_BOX.exec(id)?.[1]).find((sha) => sha !== undefined);
  const run = await deps.store.publications.ofPull(edited.repo_id, edited.number);
  if (!run) return;
  for (const box of [ADDRESS_BOX, UPDATE_BOX] as const)
    if (ticks.includes(box)) await startRound(deps, github, { run, box }, edited);
  if (head) await allowCi(deps, github, { run, head }, edited);
}

const COMMANDS = { [ADDRESS_BOX]: '/continue', [UPDATE_BOX]: '/continue update' } as const;

/** V-2, V-6: a tick is the typed command. The box is drawn again, because after a refusal it would stay ticked. */
async function startRound(
  deps: AppDependencies,
  github: GitHub,
  { run, box }: { run: string; box: keyof typeof COMMANDS },
  { number, login, at, said_at }: DescriptionEdited,
): Promise<void> {
  const seen = `${box === ADDRESS_BOX ? 'address' : 'update'}:${number}:${login}:${at}`;
  const describe = { type: 'describe_pull' as const, ticked: [box] };
  if (login === undefined) {
    const title = 'No round was started: the box was ticked, but GitHub does not say by whom.';
    const reply = { tone: 'refused' as const, title, detail: 'Tick it again.' };
    return write(deps, run, [{ type: 'reply', reply, on: number }, describe], [seen]);
  }
  const parsed = parseComment(COMMANDS[box]);
  if (!(await deps.store.runs.wasSeen(seen)))
    await handleCommand(deps, github, { run, issue: number, login, via: 'tick', parsed, seen, said_at });
  // Also after a crash between the two, because the description waits for it.
  await write(deps, run, [describe], [`${seen}:shown`]);
}

/** A tick of *Run CI* lets the repository's CI run on the commit the person saw. */
async function allowCi(
  deps: AppDependencies,
  github: GitHub,
  { run, head }: { run: string; head: string },
  { number, login, at }: DescriptionEdited,
): Promise<void> {
  const target = await deps.store.runs.target(run);
  if (target?.ci !== 'skip') return;
  const seen = `run-ci:${number}:${head}:${login}:${at}`;
  if (await deps.store.runs.wasSeen(seen)) return;
  const describe = { type: 'run_ci' as const, head, pull: number };
  if (login === undefined) {
    const title = 'CI was not started: the box was ticked, but GitHub does not say by whom.';
    const reply = { tone: 'refused' as const, title, detail: 'Tick it again.' };
    return write(deps, run, [{ type: 'reply', reply, on: number }, describe], [seen]);
  }
  const mayRun = hasRole(await github.permission(login), 'write');
  if (!mayRun)
    await refuseOnce(deps, { run, login, seen }, { name: 'continue', needed: 'write', on: number });
  await write(deps, run, [mayRun ? { ...describe, by: login } : describe], [seen]);
}
