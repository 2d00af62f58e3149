import type { RunState } from '../core/contracts/run-state.ts';
import type { IssueEvent } from '../core/ports/github-port.ts';
import { isSameLabel } from '../core/same-label.ts';
import type { AppDependencies } from './dependencies.ts';

/** GitHub's webhook and event of one click differ by up to this much. */
export const ONE_CLICK_MS = 5_000;

/** The label event that requested a run. `at` is by GitHub's clock. */
export interface Labelling {
  /** Absent if GitHub's list of events did not contain it yet. */
  event?: number;
  at: string;
}

export function newestLabelled(events: IssueEvent[], label: string): IssueEvent | undefined {
  return events.findLast((event) => event.event === 'labeled' && isSameLabel(event.label, label));
}

export async function labellingOf(
  { store }: AppDependencies,
  { run, requested_at }: Pick<RunState, 'run' | 'requested_at'>,
): Promise<Labelling> {
  const text = await store.marks.get(labellingMark(run));
  return text === undefined ? { at: requested_at } : JSON.parse(text);
}

export async function rememberLabelling(
  { store }: AppDependencies,
  run: string,
  labelling: Labelling,
): Promise<void> {
  await store.marks.set(labellingMark(run), JSON.stringify(labelling));
}

export function isSetAgain(before: Labelling, now: Labelling): boolean {
  if (before.event !== undefined && now.event !== undefined) return before.event !== now.event;
  return Date.parse(now.at) > Date.parse(before.at) + ONE_CLICK_MS;
}

/** Compares whole seconds, because GitHub's times have no fractions. */
export function isBefore(at: string, other: string): boolean {
  return Math.floor(Date.parse(at) / 1_000) < Math.floor(Date.parse(other) / 1_000);
}

const labellingMark = (run: string) => `labelling:${run}`;
