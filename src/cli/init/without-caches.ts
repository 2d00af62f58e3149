import type { SetUpPart } from './set-up.ts';

/**
 * Actions save their caches at the end of a job, for all later jobs and for the repository's own CI. Without a box, the
 * agent's code could have changed them by then.
 */
export function withoutCaches(parts: readonly SetUpPart[]): SetUpPart[] {
  return parts
    .filter((part) => part.kind !== 'cache')
    .map((part) => {
      if (part.kind !== 'tool') return part;
      const { cache: _, cacheFile: __, ...rest } = part;
      return { ...rest, isUncached: true };
    });
}
