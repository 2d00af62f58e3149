interface OctokitOptions {
  throttle?: object;
  baseUrl?: string;
}

/** A GitHub on this machine has no limits to keep to. */
const LOCAL = /^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])[:/]/;

/**
 * For `ProbotOctokit.defaults(…)`, as a function because Probot's own options win over an object. Probot keeps a
 * rate-limited call in memory until the limit ends, up to an hour: longer than the lease of the work it is part
 * of. Here it fails at once, with the seconds to wait, and the outbox, which survives a crash, tries again. The
 * spacing of writes stays.
 */
export function failOnRateLimits<Options extends OctokitOptions>(options: Options): Options {
  const giveUp = () => false;
  const enabled = !LOCAL.test(options.baseUrl ?? '');
  return {
    ...options,
    throttle: { enabled, ...options.throttle, onRateLimit: giveUp, onSecondaryRateLimit: giveUp },
  };
}
