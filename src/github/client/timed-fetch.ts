const TIMEOUT_MS = 30_000;
/** Statuses whose response must not have a body, not even an empty one. */
const WITHOUT_BODY = [101, 204, 205, 304];

/**
 * For Probot's `request.fetch`, which also fetches the installation tokens. Every request has a time-out. The body is read here,
 * because Octokit treats a truncated body as an empty response and would cache an empty token.
 */
export function createTimedFetch(timeoutMs = TIMEOUT_MS): typeof fetch {
  return async (input, init) => {
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = init?.signal ? AbortSignal.any([init.signal, timeout]) : timeout;
    const response = await fetch(input, { ...init, signal });
    const body = await response.arrayBuffer();
    const { status, statusText, headers, url } = response;
    const whole = new Response(WITHOUT_BODY.includes(status) ? null : body, { status, statusText, headers });
    return Object.defineProperty(whole, 'url', { value: url });
  };
}
