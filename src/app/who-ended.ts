import type { GitHub } from '../core/ports/github-port.ts';
import type { Labelling } from '../core/ports/labellings.ts';
import { isSameLabel } from '../core/same-label.ts';
import type { AppDependencies } from './dependencies.ts';
import { eventsSince } from './labelling.ts';

/** Undefined if the issue, and with it its events, does not exist any more. */
export type Ending = 'unlabeled' | 'closed' | 'locked' | undefined;

const UNDONE_BY = { unlabeled: 'labeled', closed: 'reopened', locked: 'unlocked' } as const;

/**
 * The person or bot who removed the label, or closed or locked the issue, by the newest entry since the label was set: an older one
 * was undone by somebody. No login if GitHub does not say; `ours` if this desk did. Undefined if the entry is not in GitHub's list,
 * which may lag behind.
 */
export async function whoEnded(
  { settings, ownership }: AppDependencies,
  github: GitHub,
  issue: number,
  ending: Exclude<Ending, undefined>,
  labelling?: Labelling,
): Promise<{ login?: string; isBot: boolean; at: string } | 'ours' | undefined> {
  const all = await github.issueEvents(issue);
  const last = (labelling ? eventsSince(all, labelling) : all).findLast(
    ({ event, label }) =>
      (event === ending || event === UNDONE_BY[ending]) &&
      (ending !== 'unlabeled' || isSameLabel(label, settings.label)),
  );
  if (last?.event !== ending) return undefined;
  return ownership.didWe(last)
    ? 'ours'
    : { login: last.actor, isBot: last.actor_type === 'Bot', at: last.created_at };
}
