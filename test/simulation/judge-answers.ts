import { readMarker } from '../../src/app/upsert-comment.ts';
import { phaseOf, type RunState } from '../../src/core/contracts/run-state.ts';
import { evolve } from '../../src/core/decide/evolve.ts';
import type { HostedStore } from '../../src/core/ports/hosted-store.ts';
import type { Commit } from '../../src/core/ports/ports.ts';
import type { FakeGitHub } from './fake-github.ts';

/** Commands that do nothing but answer a question. */
const ONLY_ANSWERS = new Set(['continue', 'provide', 'retry', 'skip', 'debug']);

/** who answers a question that another person has answered is told by whom, on GitHub. */
export async function judgeAnswers(
  { store, github }: { store: HostedStore; github: FakeGitHub },
  run: string,
): Promise<string[]> {
  const broken: string[] = [];
  let state: RunState | undefined;
  for (const { version, commit } of await store.runs.events(run)) {
    const winner = state && firstAnswerer(state, commit);
    if (winner !== undefined && commit.input.type === 'command') {
      const ops = commit.effects.map((_, index) => `${run}.${version}.${index}`);
      const said = github.created.filter(({ body }) => ops.includes(readMarker(body)?.op ?? ''));
      const { by, command } = commit.input;
      if (!said.some(({ body }) => body.includes(winner)))
        broken.push(`R-7: ${by} was not told that ${winner} answered before /${command.name} (${version})`);
    }
    for (const event of commit.events) state = evolve(state, event);
  }
  return broken;
}

/** Who had answered the question that the command is for. Undefined if the command took effect, or nobody had. */
function firstAnswerer(state: RunState, { input, events }: Commit): string | undefined {
  if (input.type !== 'command' || state.pending !== undefined || state.paused) return undefined;
  if (!events.some(({ type }) => type === 'command_refused')) return undefined;
  // Who comes after the end is told how it ended.
  if (phaseOf(state) === 'ended') return undefined;
  if (!ONLY_ANSWERS.has(input.command.name)) return undefined;
  const named = input.escalation;
  const asked = state.escalations.find(({ id }, index, all) =>
    named === undefined ? index === all.length - 1 : id === named,
  );
  if (asked?.status === 'agent_terminated') return undefined;
  return asked?.responses.at(-1)?.by;
}
