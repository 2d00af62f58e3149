import { hasRole } from '../../core/contracts/role.ts';
import type { GitHub } from '../../core/ports/github-port.ts';
import type { AppDependencies } from '../dependencies.ts';
import { write } from '../handle-input.ts';
import { newTicks } from '../ticked-boxes.ts';
import { refuseOnce } from './handle-command.ts';

interface DescriptionEdited {
  repo_id: number;
  number: number;
  before: string;
  body: string;
  /** Undefined if the box is ticked but GitHub does not say by whom. */
  login: string | undefined;
  /** The moment of the edit, by GitHub's clock. */
  at: string;
}

const CI_BOX = /^ci\.([0-9a-f]{40})$/;

/**
 * A tick of *Run CI* in our description lets the repository's CI run on the commit the person saw. Any other edit does nothing.
 */
export async function onPullRequestEdited(
  deps: AppDependencies,
  github: GitHub,
  edited: DescriptionEdited,
): Promise<void> {
  const { number, login, at } = edited;
  const head = newTicks(edited.before, edited.body)
    .map((id) => CI_BOX.exec(id)?.[1])
    .find((sha) => sha !== undefined);
  const run = await deps.store.publications.ofPull(edited.repo_id, number);
  if (!head || !run) return;
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
