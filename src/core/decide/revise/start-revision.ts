import type { Effect, Reply } from '../../contracts/effect.ts';
import type { Input } from '../../contracts/input.ts';
import type { Rules } from '../../contracts/rules.ts';
import type { AskedRevision, RunState } from '../../contracts/run-state.ts';
import { figuresOf } from '../count-at-desk.ts';
import { type Decision, NOTHING } from '../decision.ts';
import { askAboutRounds, asksAboutRounds } from './ask-about-rounds.ts';
import { nextNumber } from './ask-revision.ts';

type Revise = Extract<Input, { type: 'revise' }>;

/** CI may begin a round by itself, in the name of whoever set the label, whatever became of their role. */
export function isNobodysWord({ source, by }: AskedRevision, { requested_by }: RunState): boolean {
  return source === 'ci' && by === requested_by;
}

/** Begins the rounds that were asked for, as one. Limits restart; cost and files count over the whole run (V-1). */
export function startRevision(state: RunState, input: Revise, rules: Rules): Decision {
  const { at, revision, max, unheard = [] } = input;
  const asked = (state.asked_revisions ?? []).filter(
    (ask) => !unheard.includes(ask.by) || isNobodysWord(ask, state),
  );
  const [first] = asked;
  if (state.status !== 'reviewing' || !first) return NOTHING;
  const instruction = asked.flatMap((ask) => ask.instruction ?? []).join('\n\n') || undefined;
  const { remarks, ci, update, unpublished } = revision;
  const hasWork = remarks.length > 0 || ci || update || unpublished || instruction;
  if (!hasWork) return dropRevision(at, nothingOpen(first, revision));
  if (asksAboutRounds(state, max)) return askAboutRounds(state, input, rules);
  const number = nextNumber(state);
  return {
    events: [
      {
        type: 'revision_started',
        at,
        revision: { ...revision, number, by: byOf(asked), source: first.source, url: first.url, instruction },
        ...rules.startRound(state.guards, figuresOf(state), { first: input.limits, present: state.limits }),
      },
    ],
    effects: [
      { type: 'update_status' },
      { type: 'describe_pull' },
      ...sayBegin(first, number, revision),
      { type: 'dispatch_job' },
    ],
  };
}

/** A review is answered by the round's own review, and nothing else is posted until then. */
function sayBegin(
  { source }: AskedRevision,
  number: number,
  { remarks, ci, update, unpublished }: Revise['revision'],
): Effect[] {
  if (source === 'review') return [];
  const about = [
    remarks.length > 0 && (remarks.length === 1 ? '1 open remark' : `${remarks.length} open remarks`),
    ci && ci.length > 0 && 'failing CI',
    update && `the commits of \`${update.branch}\``,
    unpublished && 'the work that was not published',
  ].filter(Boolean);
  const what = about.length > 0 ? `: ${about.join(', ')}` : '';
  return [{ type: 'reply', reply: { tone: 'taken', title: `Round ${number} begins${what}.` } }];
}

/** The pull request cannot take a round now. People are told why, and nothing runs. */
export function refuseRevision(
  state: RunState,
  { at, reason, detail }: Extract<Input, { type: 'revision_refused' }>,
): Decision {
  if (state.status !== 'reviewing' || !state.asked_revisions?.length) return NOTHING;
  return dropRevision(at, { tone: 'refused', title: `No round was started: ${reason}`, detail });
}

function dropRevision(at: string, reply: Reply): Decision {
  const effects: Effect[] = [{ type: 'reply', reply }, { type: 'describe_pull' }];
  return { events: [{ type: 'revision_dropped', at, reason: reply.title }], effects };
}

function nothingOpen({ source }: AskedRevision, { head }: Revise['revision']): Reply {
  if (head === undefined)
    return {
      tone: 'refused',
      title: 'Nothing changed: a round needs to know what to change.',
      suggestion: '/guide <what to change>',
    };
  const detail = 'Write one on a line of the pull request, or use `/guide <what to change>`.';
  if (source === 'update') return { tone: 'info', title: 'Nothing to do: the branch is up to date.' };
  return { tone: 'info', title: 'Nothing to do: there are no open remarks.', detail };
}

/** Everybody who asked, once. */
function byOf(asked: readonly AskedRevision[]): string {
  return [...new Set(asked.map(({ by }) => by))].join(', ');
}
