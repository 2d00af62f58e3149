import type { RunState } from '../core/contracts/run-state.ts';
import type { IssueEvent } from '../core/ports/github-port.ts';
import { isSameLabel } from '../core/same-label.ts';
import type { AppParts } from './dependencies.ts';

/** GitHub's own records of one click may be that far apart. */
export const ONE_CLICK_MS = 5_000;

/** The label that a run was asked for by, as GitHub remembers it: its clock, not ours. */
export interface Labelling {
  /** Absent where GitHub's list did not have it yet. */
  event?: number;
  at: string;
}

export function newestLabelled(events: IssueEvent[], label: string): IssueEvent | undefined {
  return events.findLast((event) => event.event === 'labeled' && isSameLabel(event.label, label));
}

export async function labellingOf(
  { store }: AppParts,
  { run, requested_at }: Pick<RunState, 'run' | 'requested_at'>,
): Promise<Labelling> {
  const text = await store.marks.get(labellingMark(run));
  return text === undefined ? { at: requested_at } : JSON.parse(text);
}

export async function rememberLabelling(
  { store }: AppParts,
  run: string,
  labelling: Labelling,
): Promise<void> {
  await store.marks.set(labellingMark(run), JSON.stringify(labelling));
}

/** Whether the label was set again since. */
export function isSetAgain(before: Labelling, now: Labelling): boolean {
  if (before.event !== undefined && now.event !== undefined) return before.event !== now.event;
  return Date.parse(now.at) > Date.parse(before.at) + ONE_CLICK_MS;
}

/** To the second, as GitHub tells times. */
export function isBefore(at: string, other: string): boolean {
  return Math.floor(Date.parse(at) / 1_000) < Math.floor(Date.parse(other) / 1_000);
}

const labellingMark = (run: string) => `labelling:${run}`;
