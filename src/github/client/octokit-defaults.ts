interface OctokitOptions {
  throttle?: object;
  baseUrl?: string;
}

/** A GitHub server on this machine has no rate limits. */
const LOCAL = /^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])[:/]/;

/**
 * For `ProbotOctokit.defaults(…)`. It is a function, because Probot's own options override an object. By default a rate-limited
 * call waits in memory for up to an hour, which exceeds the lease of its work item. With these options it fails at once with the
 * seconds to wait, and the durable outbox retries it. Writes are still throttled. `repeatFailed` repeats calls in place of the
 * plugin for it.
 */
export function failOnRateLimits<Options extends OctokitOptions>(options: Options): Options {
  const giveUp = () => false;
  const enabled = !LOCAL.test(options.baseUrl ?? '');
  return {
    ...options,
    retry: { enabled: false },
    throttle: { enabled, ...options.throttle, onRateLimit: giveUp, onSecondaryRateLimit: giveUp },
  };
}
