import { GitHubError } from '../../core/ports/github-port.ts';
import { msUntilReset } from './rate-limit-reset.ts';

/** GitHub counts REST and GraphQL apart. */
export type Resource = 'core' | 'graphql';

/** The rate limit of one installation, as GitHub's responses tell it. */
export interface Budget {
  note(resource: Resource, headers: Record<string, string | number | undefined> | undefined): void;
  /** No call is made for this long: none of the resource, or none at all. */
  stop(of: Resource | 'all', seconds: number): void;
  /** Throws the error that GitHub would answer with, without a call: calls while limited make the limit last longer. */
  refuseIfSpent(resource: Resource): void;
  left(resource: Resource): BudgetLeft | undefined;
}

interface BudgetLeft {
  limit: number;
  remaining: number;
}

function createBudget(now: () => number): Budget {
  const known = new Map<Resource, BudgetLeft & { resetsAt: number }>();
  const stopped = new Map<Resource | 'all', number>();
  return {
    note(resource, headers = {}) {
      const limit = Number(headers['x-ratelimit-limit']);
      const remaining = Number(headers['x-ratelimit-remaining']);
      const wait = msUntilReset(headers, now());
      if (wait === undefined || !Number.isFinite(limit) || !Number.isFinite(remaining)) return;
      known.set(resource, { limit, remaining, resetsAt: now() + wait });
    },
    stop(of, seconds) {
      stopped.set(of, Math.max(stopped.get(of) ?? 0, now() + seconds * 1_000));
    },
    refuseIfSpent(resource) {
      const waitMs = Math.max(stopped.get(resource) ?? 0, stopped.get('all') ?? 0) - now();
      if (waitMs <= 0) return;
      const retryAfter = Math.ceil(waitMs / 1_000);
      throw new GitHubError(`GitHub asked this installation to wait; ${retryAfter} s of that are left.`, {
        status: 429,
        retryAfter,
      });
    },
    left(resource) {
      const last = known.get(resource);
      if (!last) return undefined;
      const { limit, resetsAt } = last;
      return { limit, remaining: now() >= resetsAt ? limit : last.remaining };
    },
  };
}

/** The rate limits of all installations, as far as this desk has called GitHub for them. */
export interface Budgets {
  of(installation: number): Budget;
  all(): (BudgetLeft & { installation: number; resource: Resource })[];
}

export function createBudgets(now: () => number): Budgets {
  const budgets = new Map<number, Budget>();
  return {
    of(installation) {
      const budget = budgets.get(installation) ?? createBudget(now);
      budgets.set(installation, budget);
      return budget;
    },
    all: () =>
      [...budgets].flatMap(([installation, budget]) =>
        (['core', 'graphql'] as const).flatMap((resource) => {
          const left = budget.left(resource);
          return left ? [{ installation, resource, ...left }] : [];
        }),
      ),
  };
}
