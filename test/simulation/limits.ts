import { GitHubError } from '../../src/core/ports/github-port.ts';
import { createBudgets } from '../../src/github/client/budget.ts';
import { withinBudget } from '../../src/github/client/within-budget.ts';
import { type CallGitHub, INSTALLATION } from './fake-github.ts';
import { limitWords } from './lane-watch.ts';
import type { Process, World } from './world.ts';

/** Methods whose call is one of GraphQL. */
const GRAPHQL = new Set([
  'lastEdit',
  'minimizeComment',
  'reactToReview',
  'changeLabels',
  'moveBranch',
  'markReady',
  'reviewedPull',
  'beginReview',
  'repliesInReview',
  'replyInReview',
  'submitReview',
  'pullCi',
]);

/** notices a call that a desk makes before the time that GitHub has asked it for, whatever the call is about. */
export class Limits {
  readonly #broken: string[];
  readonly #until = new Map<Process, number>();
  /** When no desk is limited any more. */
  until = 0;

  constructor(broken: string[]) {
    this.#broken = broken;
  }

  refused(process: Process, until: number): void {
    this.#until.set(process, Math.max(this.#until.get(process) ?? 0, until));
    this.until = Math.max(this.until, until);
  }

  called(process: Process, method: string, now: number): void {
    const left = (this.#until.get(process) ?? 0) - now;
    if (left > 0)
      this.#broken.push(`R-14: ${process.name} calls ${method} ${left} ms before GitHub allows it`);
  }
}

/** The calls of one process, by the limits that the App itself keeps. */
export function withinLimits(world: World, limits: Limits, process: Process, call: CallGitHub): CallGitHub {
  const budget = createBudgets(() => world.now).of(INSTALLATION);
  return async (method, args) => {
    let isCalled = false;
    try {
      const resource = GRAPHQL.has(method) ? 'graphql' : 'core';
      return await withinBudget(budget, { resource, route: method }, () => {
        isCalled = true;
        limits.called(process, method, world.now);
        return call(method, args);
      });
    } catch (error) {
      if (isCalled || !(error instanceof GitHubError)) throw error;
      world.log(`${process.name}: does not call ${method}: ${error.message}`);
      throw asked(world.now, error.message, error);
    }
  };
}

/** The words are in the record of the effect that failed, where its next attempt is compared with them. */
export function asked(
  now: number,
  why: string,
  details: { status: number; retryAfter?: number },
): GitHubError {
  const { status, retryAfter } = details;
  const words = retryAfter === undefined ? why : `${why}, ${limitWords(now + retryAfter * 1_000)}`;
  return new GitHubError(words, { status, retryAfter });
}
