import * as z from 'zod';
import type { Guard } from '../core/contracts/guard.ts';
import { ExternalBlocker } from '../core/contracts/verification.ts';
import { type BlockerSighting, readBlockers, readPassed } from './counting/blocker-sightings.ts';
import { limitSchema, On } from './counting/limit-schema.ts';
import {
  acceptCurrent,
  checkpointAndPause,
  orderOptions,
  retryNow,
  review,
  skipAndContinue,
  terminate,
} from './words/options.ts';
import { clip, HEADLINE_CHARS, oneLine } from './words/wording.ts';

const KEPT = 10;
const KINDS = ['missing_dependency', 'permission_denied', 'api_unavailable'] as const;
type Kind = (typeof KINDS)[number];

const allowed = `\`on\`, a list of ${KINDS.map((kind) => `\`${kind}\``).join(', ')}, or \`off\``;
const Kinds = z.union([On.transform(() => [...KINDS]), z.array(z.enum(KINDS)).min(1)]);

const Seen = z.object({
  blocker: ExternalBlocker,
  operation: z.string(),
  first_seen: z.iso.datetime(),
  tried_again: z.iso.datetime().optional(),
});
type Seen = z.infer<typeof Seen>;

const BlockerState = z.object({
  /** Transient blockers, which a retry may overcome. */
  suspected: z.array(Seen),
  blocked: z.array(Seen),
});
type BlockerState = z.infer<typeof BlockerState>;

const initial: BlockerState = { suspected: [], blocked: [] };

/** E-7 */
export const externalBlocker: Guard<BlockerState, Kind[]> = {
  id: 'external_blocker',
  trips: 'a dependency is missing, a permission is denied, or a service is down.',
  names: 'cause',
  header: 'External Blocker',
  counter: 'External blocker',
  category: 'external_dependency',
  type: 'external_blocker',
  kind: 'blocker_type',
  config: limitSchema<Kind[]>(Kinds, allowed, [...KINDS]),
  allowed,
  initial,
  state: BlockerState,
  reduce(state, event) {
    if (event.type === 'agent_changed') return initial;
    if (event.type === 'rearmed') return event.guards.includes('external_blocker') ? initial : state;
    const passed = readPassed(event);
    const sightings = readBlockers(event);
    if (passed.length === 0 && sightings.length === 0) return state;
    const left: BlockerState = {
      suspected: state.suspected.filter((seen) => !passed.includes(seen.operation)),
      blocked: state.blocked.filter((seen) => !passed.includes(seen.operation)),
    };
    // The same time-out in two checks of one verification is one sighting, because nothing was retried yet.
    const distinct = new Map(
      sightings.toReversed().map((sighting) => [identify(sighting.blocker), sighting]),
    );
    return [...distinct.values()].toReversed().reduce(see, left);
  },
  check({ blocked }, kinds) {
    const seen = blocked.find(({ blocker }) => kinds.includes(blocker.kind));
    return (
      seen && {
        guard: 'external_blocker',
        kind: 'blocker_type',
        threshold: null,
        observed: 1,
        evidence: seen,
      }
    );
  },
  headline({ evidence }) {
    return clip(describeBlocker(evidence.blocker), HEADLINE_CHARS);
  },
  question({ evidence }) {
    const where = evidence.operation ? ` (${oneLine(evidence.operation)})` : '';
    return `External blocker: ${describeBlocker(evidence.blocker)}${where}. More turns won't help. How to proceed?`;
  },
  options(_trigger, progress) {
    return orderOptions([
      retryNow(progress),
      skipAndContinue(),
      checkpointAndPause,
      acceptCurrent(progress),
      review,
      terminate,
    ]);
  },
};

function see(state: BlockerState, { blocker, operation, at }: BlockerSighting): BlockerState {
  const id = identify(blocker);
  const isSame = (seen: Seen) => identify(seen.blocker) === id;
  const before = state.blocked.find(isSame) ?? state.suspected.find(isSame);
  const seen: Seen = before
    ? { ...before, blocker, operation, tried_again: at }
    : { blocker, operation, first_seen: at };
  const suspected = state.suspected.filter((other) => !isSame(other));
  const isTransient = blocker.kind === 'api_unavailable' && blocker.transient;
  if (isTransient && !before) return { ...state, suspected: [...suspected, seen].slice(-KEPT) };
  return { suspected, blocked: [...state.blocked.filter((other) => !isSame(other)), seen].slice(-KEPT) };
}

function identify(blocker: ExternalBlocker): string {
  switch (blocker.kind) {
    case 'missing_dependency':
      return `${blocker.kind} ${blocker.name}`;
    case 'permission_denied':
      return `${blocker.kind} ${blocker.operation} ${blocker.resource}`;
    case 'api_unavailable':
      return `${blocker.kind} ${blocker.endpoint}`;
  }
}

function describeBlocker(blocker: ExternalBlocker | undefined): string {
  switch (blocker?.kind) {
    case 'missing_dependency':
      if (blocker.problem)
        return `${oneLine(blocker.name, 100)} could not start: ${oneLine(blocker.problem, 200)}`;
      return `${[blocker.name, blocker.version]
        .filter((part) => part !== undefined)
        .map((part) => oneLine(part, 100))
        .join(' ')} is missing`;
    case 'permission_denied': {
      const operation = blocker.operation === 'unknown' ? 'use' : blocker.operation;
      return `no permission to ${operation} ${oneLine(blocker.resource)}`;
    }
    case 'api_unavailable': {
      const host = oneLine(hostOf(blocker.endpoint));
      return blocker.status ? `${host} returns ${blocker.status}` : `${host} does not respond`;
    }
    default:
      return 'something outside the repository blocks the work';
  }
}

/** "POST https://api.example.com/v1/x" and "api.example.com/v1/x" are both about api.example.com. */
function hostOf(endpoint: string): string {
  const address = endpoint.trim().split(/\s+/).at(-1) ?? '';
  return address.replace(/^[a-z][a-z+.-]*:\/\//i, '').split(/[/?#]/)[0] || endpoint;
}
