import { type DestinationStream, type Logger, pino } from 'pino';

/** Fields that are removed at the top level and one level below, because they may hold secrets or large data. */
const SECRET_NAMES = [
  'authorization',
  'cookie',
  'ticket',
  'token',
  'nonce',
  'secret',
  'privateKey',
  'payload',
  'body',
  'inputs',
  'values',
  'value',
];

/** Logs JSON lines. Errors keep message and stack; requests are logged with id, method, path and result only. */
export function createLog(level: string, destination: DestinationStream): Logger {
  return pino(
    {
      level,
      base: undefined,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        paths: [
          ...SECRET_NAMES.flatMap((name) => [name, `*.${name}`, `*.*.${name}`, `*.*.*.${name}`]),
          // On failures Probot logs whole deliveries and Octokit whole requests.
          'event',
          '*.event',
          '*.request.headers',
          '*.response.data',
          '*.errors',
        ],
        censor: '[left out]',
      },
      serializers: {
        err: (error: unknown) => describeError(error),
        error: (error: unknown) => describeError(error),
      },
    },
    destination,
  );
}

const MAX_CAUSES = 5;

/** Keeps message and stack only, because other properties of an error may hold requests and payloads. */
function describeError(error: unknown, depth = 0): object {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack, cause } = error;
  const inner =
    error instanceof AggregateError && depth < MAX_CAUSES
      ? error.errors.slice(0, MAX_CAUSES).map((each: unknown) => describeError(each, depth + 1))
      : undefined;
  const because = cause === undefined || depth >= MAX_CAUSES ? undefined : describeError(cause, depth + 1);
  return { name, message, stack, ...(because ? { cause: because } : {}), ...(inner ? { inner } : {}) };
}

export type { Logger };
