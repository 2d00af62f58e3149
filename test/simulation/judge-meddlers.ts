import { newTicks } from '../../src/app/ticked-boxes.ts';
import { readMarker } from '../../src/app/upsert-comment.ts';
import { hasRole } from '../../src/core/contracts/role.ts';
import { isUnderWay, type RunState } from '../../src/core/contracts/run-state.ts';
import type { HostedStore } from '../../src/core/ports/hosted-store.ts';
import { BOT, type FakeGitHub, LABEL, PEOPLE } from './fake-github.ts';
import { type People, REWORDED } from './people.ts';

interface Meddled {
  store: HostedStore;
  github: FakeGitHub;
  people: People;
}

/** who gives commands without the role is told so once per run, and nothing else comes of it. */
export async function judgeRefusals({ store, github, people }: Meddled): Promise<string[]> {
  const broken: string[] = [];
  const given = people.given.filter(({ by }) => !hasRole(PEOPLE[by] ?? 'none', 'write'));
  const logins = [...new Set(given.map(({ by }) => by))];
  const told = new Set<string>();
  for (const run of await store.runs.list(100)) {
    for (const { commit } of await store.runs.events(run)) {
      const { input } = commit;
      // One without a source is the pause because they closed the issue.
      if (input.type === 'command' && input.source !== undefined && logins.includes(input.by))
        broken.push(`R-1: /${input.command.name} of ${input.by} acted on ${run} without the role`);
    }
    let refused = 0;
    for (const login of logins) {
      if (!(await store.runs.wasSeen(`refused:${run}:${login}:write`))) continue;
      refused += 1;
      told.add(login);
    }
    const replies = github.created.flatMap(({ body }) => {
      const marker = readMarker(body);
      return marker?.run === run && body.includes('commands require write access') ? marker.op : [];
    });
    const said = new Set(replies).size;
    if (said !== refused && given.length > 0)
      broken.push(`R-2: ${refused} people were refused on ${run}, and ${said} replies say so`);
  }
  for (const { comment, by, text } of given)
    if (!told.has(by) && (await store.runs.wasSeen(`comment:${comment}`)))
      broken.push(`R-1: ${by} was never told why ${text} (comment ${comment}) did nothing`);
  return broken;
}

/** our comments say what we wrote, whoever reworded them, and no box of the open question is ticked that was read. */
export function judgeWords(
  { github, issue }: { github: FakeGitHub; issue: number },
  state: RunState,
): string[] {
  if (!isListed(github, issue) || !isUnderWay(state)) return [];
  const { run, pending } = state;
  const ops = [`${run}.status`, `${run}.${pending}`];
  return [...github.comments.values()].flatMap(({ id, author, body }) => {
    const op = author === BOT ? readMarker(body)?.op : undefined;
    if (op === undefined || !op.startsWith(`${run}.`)) return [];
    return [
      ...(body.includes(REWORDED) ? [`R-13: comment ${id} (${op}) says what somebody else wrote`] : []),
      ...(ops.includes(op) ? newTicks('', body) : []).map(
        (box) => `R-13: the box ${box} of the open question is still ticked`,
      ),
    ];
  });
}

/** An issue that is closed or has lost its label is read ever more rarely. */
export function isListed(github: FakeGitHub, issue: number): boolean {
  const { labels, state } = github.issuePayload(issue);
  return state === 'open' && labels.includes(LABEL);
}
