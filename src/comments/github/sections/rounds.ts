import type { CommentContext } from '../../../core/contracts/comment-context.ts';
import type { Escalation } from '../../../core/contracts/escalation.ts';
import type { RevisionSource } from '../../../core/contracts/revision.ts';
import { phaseOf, type RunState } from '../../../core/contracts/run-state.ts';
import type { Fold } from '../../text/fit-comment.ts';
import { code, inlineText } from '../../text/harmless.ts';
import { link, marker } from '../../text/markdown.ts';
import { clock, count, list, money } from '../../text/words.ts';

/** The id of the box that starts a round with every open remark. */
export const ADDRESS_BOX = 'r.address';

/** The id of the box that merges the base into the branch. */
export const UPDATE_BOX = 'm.update';

type EndedRound = NonNullable<RunState['revisions']>[number];

/** The run as the branch shows it: as it rested before the round that is at work, and without rounds that left nothing there. */
export function asPublished(state: RunState): RunState {
  const { revision } = state;
  const published = { ...state, turns: publishedTurns(state) };
  if (!revision) return published;
  const { turns: _, cost_usd: __, active_ms: ___, ...before } = revision.before;
  return { ...published, ...before, status: 'reviewing' };
}

function publishedTurns(state: RunState): RunState['turns'] {
  let from = turnsOfBuild(state);
  const turns = state.turns.slice(0, from);
  for (const round of state.revisions ?? []) {
    const until = from + round.turns;
    if (round.outcome === 'done' || round.outcome === 'partial')
      turns.push(...state.turns.slice(from, until));
    from = until;
  }
  return turns;
}

/** V-8: the first line of the description while a round is at work, or waits for a person. */
export function renderRunning(state: RunState, { links }: CommentContext): string | undefined {
  const { revision, turns } = state;
  if (!revision) return undefined;
  const { number, by, remarks, instruction, at, before, update } = revision;
  const authors = [...new Set(remarks.map(({ author }) => author))].map((login) => inlineText(login, 60));
  const about =
    remarks.length > 0
      ? `${count(remarks.length, 'remark')} by ${list(authors, 3)}`
      : instruction
        ? `an instruction by ${inlineText(by, 100)}`
        : update
          ? `update with ${code(update.branch, 120)}, asked for by ${inlineText(by, 100)}`
          : `asked for by ${inlineText(by, 100)}`;
  const done = turns.length - before.turns;
  const progress = `Started ${clock(at)} UTC, ${count(done, 'turn')} done.`;
  if (phaseOf(state) !== 'waiting') return `> ▶ **Round ${number} is running**: ${about}. ${progress}`;
  if (state.pending === undefined)
    return `> ⏸ **Round ${number} is paused**: ${about}. Resume with \`/continue\`. ${progress}`;
  const asked = links?.question ? ` ${link('Question', links.question)}.` : '';
  return `> ⏸ **Round ${number} waits for an answer**: ${about}.${asked} ${progress}`;
}

/** V-2: the box for remarks that nobody asked to address yet. */
export function renderOpenRemarks(
  state: RunState,
  open: readonly { author: string; is_bot: boolean }[],
): string | undefined {
  if (open.length === 0 || state.status !== 'reviewing' || state.revision) return undefined;
  const authors = Map.groupBy(open, ({ author }) => author);
  const by = [...authors].map(([author, said]) => `${said.length} by ${inlineText(author, 60)}`);
  const next = (state.revisions?.at(-1)?.number ?? 1) + 1;
  const what = count(open.length, 'open remark');
  return `- [ ] ${marker('option', { id: ADDRESS_BOX })} **Address ${what}** (${list(by, 5)}): starts round ${next}. \`/continue\``;
}

/** V-6: the box that merges the base. Which of the files conflict is known when they are merged. */
export function renderConflict(
  state: RunState,
  conflict: { branch: string; files: readonly string[] } | undefined,
): string | undefined {
  if (!conflict || state.status !== 'reviewing' || state.revision) return undefined;
  const { branch, files } = conflict;
  const named = list(
    files.map((path) => code(path, 120)),
    5,
  );
  const which =
    files.length === 0
      ? 'there are conflicts'
      : files.length === 1
        ? `1 file conflicts (${named})`
        : `up to ${files.length} files conflict (${named})`;
  const what = `${which}; the agent resolves ${files.length === 1 ? 'it' : 'them'}, all checks run again.`;
  return `- [ ] ${marker('option', { id: UPDATE_BOX })} **Update with ${code(branch, 120)}**: ${what} \`/continue update\``;
}

/** V-3: the remarks that are about the files of a question. */
export function renderRemarksAsked({ remarks = [] }: Escalation): string | undefined {
  if (remarks.length === 0) return undefined;
  const named = remarks.map(
    ({ path, author, url }) => `${link(`remark by ${inlineText(author, 60)}`, url)} on ${code(path, 160)}`,
  );
  return `Reviewers commented here: ${list(named, remarks.length)}.`;
}

const ASKED: Record<RevisionSource, string> = {
  review: 'review',
  command: 'comment',
  box: 'box',
  ci: 'failing CI',
  update: 'update',
};

/** V-8: one row for each round. The build is the first. */
export function roundsFold(
  state: RunState,
  commitOf: (round: number) => string | undefined = () => undefined,
): Fold | undefined {
  const { revisions = [], revision } = state;
  if (revisions.length === 0 && !revision) return undefined;
  const running = revision ? costSince(state, revision.before.cost_usd) : 0;
  const later = revisions.reduce((sum, { cost_usd }) => sum + (cost_usd ?? 0), running ?? 0);
  const built = state.usage.cost_usd === null ? null : state.usage.cost_usd - later;
  const firstTurns = state.turns.slice(0, turnsOfBuild(state));
  const standing = phaseOf(state) === 'waiting' ? 'waiting' : 'running';
  const summary = firstTurns.findLast(({ title }) => title)?.title ?? '';
  const row = (number: number, asked: string, changed: string, cost: number | null) => {
    const commit = commitOf(number);
    const sha = commit ? code(commit.slice(0, 7), 7) : '';
    return [String(number), asked, changed, sha, cost === null ? '' : money(cost)];
  };
  const rows = [
    row(1, `${inlineText(state.requested_by, 60)}, label`, inlineText(summary, 120), built),
    ...revisions.map((round) => row(round.number, askedBy(round), describeRound(round), round.cost_usd)),
    ...(revision ? [row(revision.number, askedBy(revision), standing, running)] : []),
  ];
  return {
    summary: `Rounds: ${rows.length}${revision ? `, the last is ${standing}` : ''}`,
    content: [{ head: ['Round', 'Asked by', 'What changed', 'Commit', 'Cost'], align: 'llllr', rows }],
  };
}

function costSince({ usage }: RunState, before: number | null): number | null {
  return usage.cost_usd === null ? null : usage.cost_usd - (before ?? 0);
}

function turnsOfBuild({ turns, revisions = [], revision }: RunState): number {
  const later = revisions.reduce((sum, round) => sum + round.turns, 0);
  return (revision ? revision.before.turns : turns.length) - later;
}

function askedBy({ by, source, url }: Pick<EndedRound, 'by' | 'source' | 'url'>): string {
  return `${inlineText(by, 100)}, ${url ? link(ASKED[source], url) : ASKED[source]}`;
}

function describeRound({ outcome, summary = '', reason = '' }: EndedRound): string {
  const said = inlineText(summary, 120);
  switch (outcome) {
    case 'done':
      return said;
    case 'partial':
      return said ? `${said} (partial)` : 'partial';
    case 'unchanged':
      return 'partial: no file was changed';
    case 'failed':
      return `nothing: ${inlineText(reason, 120)}`;
    case 'cancelled':
      return 'nothing: cancelled';
    case 'merged':
      return 'nothing: merged before';
  }
}
