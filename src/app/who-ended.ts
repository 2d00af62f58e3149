import type { GitHub } from '../core/ports/github-port.ts';
import { isSameLabel } from '../core/same-label.ts';
import type { AppDependencies } from './dependencies.ts';

/** Undefined if the issue, and with it its events, does not exist any more. */
export type Ending = 'unlabeled' | 'closed' | 'locked' | undefined;

/**
 * The person or bot who removed the label, or closed or locked the issue. No login if GitHub does not say; `ours` if only this desk did.
 */
export async function whoEnded(
  { settings, ownership }: AppDependencies,
  github: GitHub,
  issue: number,
  ending: Exclude<Ending, undefined>,
): Promise<{ login?: string; isBot: boolean } | 'ours'> {
  const events = (await github.issueEvents(issue)).filter(
    ({ event, label }) => event === ending && (ending !== 'unlabeled' || isSameLabel(label, settings.label)),
  );
  const others = events.filter((event) => !ownership.didWe(event));
  if (events.length > 0 && others.length === 0) return 'ours';
  const last = others.at(-1);
  return { login: last?.actor, isBot: last?.actor_type === 'Bot' };
}
