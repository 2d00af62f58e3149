import { phaseOf, type RunState } from '../core/contracts/run-state.ts';
import type { IssueEvent } from '../core/ports/github-port.ts';
import type { Labelling } from '../core/ports/labellings.ts';
import { isSameLabel } from '../core/same-label.ts';
import type { AppDependencies } from './dependencies.ts';

/** GitHub's webhook and event of one click differ by up to this much. */
export const ONE_CLICK_MS = 5_000;

export function newestLabelled(events: IssueEvent[], label: string): IssueEvent | undefined {
  return events.findLast((event) => event.event === 'labeled' && isSameLabel(event.label, label));
}

/**
 * A run without a record was started by a desk that kept none, or ended so long ago that its record was deleted. A label that
 * was set before its end is not a new one.
 */
export async function labellingOf(
  { store }: Pick<AppDependencies, 'store'>,
  state: RunState,
): Promise<Labelling> {
  const end = phaseOf(state) === 'ended' ? state.finished?.at : undefined;
  return (await store.labellings.of(state.run)) ?? { at: end ?? state.requested_at };
}

export function isSetAgain(before: Labelling, now: Labelling): boolean {
  if (before.event !== undefined && now.event !== undefined) return before.event !== now.event;
  return Date.parse(now.at) > Date.parse(before.at) + ONE_CLICK_MS;
}

/** The events of the issue after the label was set. Without its entry, the time tells. */
export function eventsSince(events: IssueEvent[], { event, at }: Labelling): IssueEvent[] {
  const set = events.findIndex(({ id }) => id === event);
  return set >= 0 ? events.slice(set + 1) : events.filter(({ created_at }) => !isBefore(created_at, at));
}

/** Compares whole seconds, because GitHub's times have no fractions. */
export function isBefore(at: string, other: string): boolean {
  return Math.floor(Date.parse(at) / 1_000) < Math.floor(Date.parse(other) / 1_000);
}
