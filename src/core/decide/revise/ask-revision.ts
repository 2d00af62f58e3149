import type { Effect, Reply } from '../../contracts/effect.ts';
import type { RevisionSource } from '../../contracts/revision.ts';
import { phaseOf, type RunState } from '../../contracts/run-state.ts';
import type { Decision } from '../decision.ts';

interface Ask {
  at: string;
  by: string;
  said_at?: string;
  source: RevisionSource;
  url?: string;
  instruction?: string;
  /** When the round may begin. Absent: at once. */
  begins_at?: string;
  /** The review that asks. */
  review?: { node_id: string };
}

/** The timer until which more of the same is waited for, so that several reviews within a minute are one round (V-2). */
export const REVISION_TIMER = 'revision';

/** V-2: a round is asked for. At rest it begins; while another one runs it waits for that one's end. */
export function askRevision(
  state: RunState,
  { begins_at, review, ...ask }: Ask,
  reply?: (reply: Reply) => Effect,
): Decision {
  const isRunning = phaseOf(state) !== 'resting';
  const begin: Effect[] =
    begins_at === undefined
      ? [{ type: 'collect_revision' }]
      : [{ type: 'set_timer', timer: REVISION_TIMER, at: begins_at }];
  const seen: Effect[] = review
    ? [{ type: 'react', source: `review:${review.node_id}`, reaction: 'eyes' }]
    : [];
  // At rest the round itself tells what it is about, once that is known.
  const told = isRunning ? [...(reply ? [reply(waitsForNext(state))] : [])] : begin;
  return { events: [{ type: 'revision_asked', ...ask }], effects: [...seen, ...told] };
}

function waitsForNext(state: RunState): Reply {
  return {
    tone: 'taken',
    title: `Noted for round ${nextNumber(state)}.`,
    detail: `Round ${state.revision?.number ?? 1} is still running; the next one begins when it has ended.`,
  };
}

/** The number of the next round. The build is round 1. */
export function nextNumber({ revision, revisions = [] }: RunState): number {
  return (revision?.number ?? revisions.at(-1)?.number ?? 1) + 1;
}
