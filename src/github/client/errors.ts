import { GitHubError } from '../../core/ports/github-port.ts';
import { msUntilReset } from './rate-limit-reset.ts';

const MAX_MESSAGE_CHARS = 1_000;
const MAX_WAIT_SECONDS = 86_400;
/** GitHub's documentation asks for this delay if a secondary limit names none. */
const SECONDARY_LIMIT_SECONDS = 60;

type Headers = Record<string, string | number | undefined>;

interface Failure {
  status: number;
  message: string;
  headers: Headers;
  answered: boolean;
}

/**
 * The Octokit error is not kept as the cause, because it has the request's body. That may contain a ticket or a provided value,
 * and loggers print causes.
 */
export function toGitHubError(error: unknown, route: string): GitHubError {
  if (error instanceof GitHubError) return error;
  const cause = error instanceof Error ? error.cause : undefined;
  return describeFailure(readGraphqlFailure(error) ?? readRequestFailure(error), route, cause);
}

/** One field of a GraphQL document that failed, by its name in the document. */
export interface FieldFailure {
  field: string;
  error: GitHubError;
}

/** Failures of single fields of a GraphQL document. Undefined: the document failed as a whole, or it is unknown what failed. */
export function readFieldFailures(error: unknown, route: string): FieldFailure[] | undefined {
  const { errors, data, headers = {} } = error as { errors?: unknown; data?: unknown; headers?: Headers };
  if (!Array.isArray(errors) || errors.length === 0 || typeof data !== 'object' || data === null)
    return undefined;
  if (!errors.every(({ path }) => Array.isArray(path) && String(path[0]) in data)) return undefined;
  return errors.map((one: GraphqlProblem & { path: unknown[] }) => ({
    field: String(one.path[0]),
    error: describeFailure({ ...readProblem(one), headers, answered: true }, route),
  }));
}

function describeFailure(failure: Failure, route: string, cause?: unknown): GitHubError {
  const said = failure.message.slice(0, MAX_MESSAGE_CHARS);
  const message = failure.answered
    ? `GitHub answered ${route} with ${failure.status}: ${said}`
    : `GitHub did not answer ${route}: ${said}`;
  const details = {
    status: failure.status,
    retryAfter: readRetryAfter(failure),
    missingPermission: readMissingPermission(failure),
  };
  return new GitHubError(message, details, cause === undefined ? undefined : { cause });
}

function readRequestFailure(error: unknown): Failure {
  const { status = 500, response } = error as { status?: number; response?: { headers?: Headers } };
  const message = error instanceof Error ? error.message : String(error);
  return {
    status: status === 422 && TOO_QUICK.test(message) ? 429 : status,
    message,
    headers: response?.headers ?? {},
    answered: response !== undefined,
  };
}

const GRAPHQL_STATUS: Record<string, number> = {
  NOT_FOUND: 404,
  FORBIDDEN: 403,
  INSUFFICIENT_SCOPES: 403,
  RATE_LIMITED: 429,
  // The calls of the hour were used up before. Seen in answers, with the code `graphql_rate_limit`, and not documented.
  RATE_LIMIT: 429,
  UNPROCESSABLE: 422,
};

interface GraphqlProblem {
  type?: string;
  message: string;
}

/** GitHub's word for the limit of content in a short time, which it calls unprocessable. */
const TOO_QUICK = /submitted too quickly/i;
/** In GraphQL the words alone may tell it. */
const SECONDARY_LIMIT = /secondary rate limit|abuse detection/i;

function readProblem({ type, message }: GraphqlProblem): Pick<Failure, 'status' | 'message'> {
  const isLimit = TOO_QUICK.test(message) || SECONDARY_LIMIT.test(message);
  return { status: isLimit ? 429 : (GRAPHQL_STATUS[String(type)] ?? 502), message };
}

/** GraphQL responds with 200 and reports failures in the body. */
function readGraphqlFailure(error: unknown): Failure | undefined {
  const { response, headers } = error as {
    response?: { errors?: unknown; data?: unknown };
    headers?: Headers;
  };
  const nested = response?.data as { errors?: unknown } | null | undefined;
  const errors = response?.errors ?? nested?.errors;
  const [first] = Array.isArray(errors) ? errors : [];
  if (typeof first?.message !== 'string') return undefined;
  // REST validation errors have a status and a list of the same name, whose types mean something else.
  if ((error as { status?: number }).status !== undefined) return undefined;
  return {
    ...readProblem(first),
    headers: headers ?? (response as { headers?: Headers }).headers ?? {},
    answered: true,
  };
}

function readRetryAfter({ status, message, headers }: Failure): number | undefined {
  const named = Number.parseInt(String(headers['retry-after']), 10);
  if (status >= 400 && named >= 0) return boundWait(named);
  if (status !== 403 && status !== 429) return undefined;
  if (String(headers['x-ratelimit-remaining']) === '0') {
    const wait = msUntilReset(headers, Date.now());
    if (wait !== undefined) return boundWait(Math.ceil(wait / 1_000) + 1);
  }
  const limited = status === 429 || SECONDARY_LIMIT.test(message);
  return limited ? SECONDARY_LIMIT_SECONDS : undefined;
}

function boundWait(seconds: number): number {
  return Math.min(Math.max(seconds, 1), MAX_WAIT_SECONDS);
}

/** GitHub sends the header with other refusals too, such as for a locked issue. Only this message is about permissions. */
function readMissingPermission({ status, message, headers }: Failure): string | undefined {
  if (/without `workflows?` permission/i.test(message)) return 'workflows=write';
  if (status !== 403 || !/resource not accessible/i.test(message)) return undefined;
  const accepted = headers['x-accepted-github-permissions'];
  return accepted === undefined ? undefined : String(accepted);
}
