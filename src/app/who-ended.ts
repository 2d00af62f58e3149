import type { GitHub } from '../core/ports/github-port.ts';
import { isSameLabel } from '../core/same-label.ts';
import type { AppDependencies } from './dependencies.ts';

/** Undefined: the issue is not there any more, and nor are its events. */
export type Ending = 'unlabeled' | 'closed' | 'locked' | undefined;

/** Who took the label off, closed or locked the issue. Undefined: GitHub does not tell. `ours`: nobody but this App did. */
export async function whoEnded(
  { settings }: AppDependencies,
  github: GitHub,
  issue: number,
  ending: Exclude<Ending, undefined>,
): Promise<{ login?: string } | 'ours'> {
  const events = (await github.issueEvents(issue)).filter(
    ({ event, label }) => event === ending && (ending !== 'unlabeled' || isSameLabel(label, settings.label)),
  );
  const others = events.filter(({ app_id }) => app_id !== settings.appId);
  if (events.length > 0 && others.length === 0) return 'ours';
  return { login: others.at(-1)?.actor };
}
