import type { Octokit } from '@octokit/rest';
import { HeldBackError } from './guarded-fetch.ts';

/** The waits before a call is repeated. */
const WAITS_MS = [1_000, 4_000, 9_000];
/**
 * No repeat begins later than this after the first try. So a call that timed out is not repeated: its caller comes again anyway
 * (outbox and inbox by their back-off, reconcile every minute), and four time-outs in a row would keep one of the few reads at
 * a time from other repositories for two minutes. A call that GitHub gave up after its own ten seconds is repeated once.
 */
const LATEST_MS = 15_000;

/** GraphQL reports its own breakdowns with status 200. */
const BREAKDOWN = /Something went wrong while executing your query/;

/**
 * For `ProbotOctokit.plugin(…)`, in place of the plugin that Probot brings, which sees no `Retry-After` and repeats a 429. It
 * repeats calls that GitHub failed to answer, except those with `request: { retries: 0 }`. A refusal is not repeated, because it
 * would be the same, nor is an answer that says how long to wait: the caller can wait that long, and a call cannot.
 */
export function repeatFailed(clock: { monotonicMs(): number; sleep(ms: number): Promise<unknown> }) {
  return ({ hook }: Pick<Octokit, 'hook'>): void => {
    hook.wrap('request', async (request, options) => {
      const latest = clock.monotonicMs() + LATEST_MS;
      for (const wait of options.request?.retries === 0 ? [] : WAITS_MS) {
        const isTooLate = () => clock.monotonicMs() + wait > latest;
        try {
          const answer = await request(options);
          if (!isBreakdown(answer) || isTooLate()) return answer;
        } catch (error) {
          if (!isOutage(error) || isTooLate()) throw error;
        }
        await clock.sleep(wait);
      }
      return request(options);
    });
  };
}

interface Answer {
  headers?: Record<string, unknown>;
  data?: unknown;
}

function isBreakdown(answer: Answer): boolean {
  const { errors } = (answer.data ?? {}) as { errors?: { message?: string }[] };
  return BREAKDOWN.test(errors?.[0]?.message ?? '') && !saysWhen(answer);
}

/** Octokit gives an error the status 500 if there was no answer, also if nothing was sent. */
function isOutage(error: unknown): boolean {
  const { status = 0, response, cause } = error as { status?: number; response?: Answer; cause?: unknown };
  return status >= 500 && !saysWhen(response) && !(cause instanceof HeldBackError);
}

function saysWhen(answer: Answer | undefined): boolean {
  return answer?.headers?.['retry-after'] !== undefined;
}
