import type { ExternalBlocker } from '../../contracts/verification.ts';
import type { BlockerContext } from './blocker-finder.ts';

type Unavailable = Extract<ExternalBlocker, { kind: 'api_unavailable' }>;

const HINT =
  /\b(?:429|50[234]|529)\b|enotfound|eai_again|econnrefused|etimedout|econnreset|timed? ?out|could not resolve|failed to connect|connection refused|connection reset|no such host|name resolution|name or service|max retries|hang up|service unavailable|bad gateway/i;

/** The distance from the message in which its address is searched. HTTP clients print the request's options below the error. */
const LINES_BELOW = 30;
const LINES_ABOVE = 5;

const MODEL_PROVIDERS =
  /(?:^|\.)(?:api\.anthropic\.com|api\.openai\.com|chatgpt\.com|openai\.azure\.com|generativelanguage\.googleapis\.com|(?:[\w-]+-)?aiplatform\.googleapis\.com|cloudcode-pa\.googleapis\.com|githubcopilot\.com|models\.inference\.ai\.azure\.com|models\.github\.ai|bedrock-runtime[\w.-]*\.amazonaws\.com|openrouter\.ai|api\.mistral\.ai|api\.deepseek\.com|api\.groq\.com|api\.x\.ai|api\.cohere\.(?:ai|com)|api\.together\.xyz|api\.fireworks\.ai)$/i;

/** True for the service of a model. Its outages are no blocker, because the turn is retried. */
export function isModelProvider(host: string): boolean {
  return MODEL_PROVIDERS.test(host.replace(/:\d+$/, ''));
}

/** A service that does not respond, or responds that it is unavailable (E-7). */
export function findApiUnavailable(
  lines: readonly string[],
  at: number,
  context: BlockerContext,
): Unavailable | undefined {
  const line = lines[at] ?? '';
  if (!HINT.test(line)) return undefined;
  const trouble = readStatus(line) ?? readNetwork(line);
  if (!trouble) return undefined;
  const address = trouble.address ?? nearestAddress(lines, at, context);
  const endpoint = address && describe(address);
  if (!endpoint || isLocal(endpoint.host) || isModelProvider(endpoint.host)) return undefined;
  const { status, transient } = trouble;
  return { kind: 'api_unavailable', endpoint: endpoint.text, ...(status ? { status } : {}), transient };
}

type Trouble = { status?: number; transient: boolean; address?: string };

/** 502, 503, 504 and 529 mean that the service is down, 429 that it will respond later. 500 is left out, because the request may have caused it. */
function readStatus(line: string): Trouble | undefined {
  const match =
    /\bHTTP(?:\/[\d.]{1,3})?[ :]{1,2}(\d{3})\b/i.exec(line) ??
    /\bstatus(?:[ _]?code)?["']?[ :=]{1,3}["']?(\d{3})\b/i.exec(line) ??
    /\b(?:returned|responded with|response|error|failed|got|code)(?: with)?(?: error)?(?: code)?:? \(?(\d{3})\b/i.exec(
      line,
    ) ??
    /\b(\d{3}):? (?:Service (?:Temporarily )?Unavailable|Bad Gateway|Gateway Time-?out|Too Many Requests|Overloaded|Server Error: )/i.exec(
      line,
    ) ??
    /\b(\d{3}) (?:-|–) (?:GET|POST|PUT) https?:/.exec(line);
  const status = Number(match?.[1]);
  if ([502, 503, 504, 529].includes(status)) return { status, transient: false };
  return status === 429 ? { status, transient: true } : undefined;
}

const HOST = '([\\w-]{1,63}(?:\\.[\\w-]{1,63}){0,8}(?::\\d{1,5})?)';

const LASTING: readonly RegExp[] = [
  new RegExp(`\\bENOTFOUND ${HOST}`),
  new RegExp(`\\bECONNREFUSED ${HOST}`),
  new RegExp(`\\bCould not resolve host(?:name)?:? ['"]?${HOST}`, 'i'),
  new RegExp(`\\bFailed to connect to ${HOST}(?: port \\d+)?(?!.{0,200}timed out)`, 'i'),
  new RegExp(`\\blookup ${HOST}(?: on \\S{1,60})?: no such host`),
  new RegExp(`\\bdial tcp ${HOST}: connect: connection refused`),
  new RegExp(`\\bconnect to host ${HOST} port \\d+: Connection refused`, 'i'),
  new RegExp(`\\bconnection to server at "${HOST}".{0,80}Connection refused`, 'i'),
  new RegExp(
    `ConnectionPool\\(host='${HOST}'.{0,600}(?:Connection refused|Name or service not known|nodename nor servname)`,
  ),
  new RegExp(`\\bcould not translate host name "${HOST}"`),
];

const TEMPORARY: readonly RegExp[] = [
  new RegExp(`\\bEAI_AGAIN ${HOST}`),
  new RegExp(`\\b(?:ETIMEDOUT|ECONNRESET) ${HOST}`),
  new RegExp(`\\bFailed to connect to ${HOST}.{0,200}timed out`, 'i'),
  new RegExp(`\\bdial tcp ${HOST}: i/o timeout`),
  new RegExp(`\\bconnect to host ${HOST} port \\d+: (?:Connection|Operation) timed out`, 'i'),
  new RegExp(
    `ConnectionPool\\(host='${HOST}'.{0,600}(?:timed out|Temporary failure in name resolution|Connection reset)`,
  ),
];

/** An unknown host or a refused connection is lasting. Timeouts, resets and `EAI_AGAIN` are transient. */
function readNetwork(line: string): Trouble | undefined {
  for (const pattern of LASTING) {
    const address = pattern.exec(line)?.[1];
    if (address) return { transient: false, address };
  }
  for (const pattern of TEMPORARY) {
    const address = pattern.exec(line)?.[1];
    if (address) return { transient: true, address };
  }
  if (/\b(?:ETIMEDOUT|ECONNRESET|ESOCKETTIMEDOUT|UND_ERR_CONNECT_TIMEOUT)\b|\bsocket hang up\b/.test(line))
    return { transient: true };
  if (
    /^(?:curl: \(28\)|fatal: unable to access .{0,300}timed out|Connection (?:timed out|reset by peer)\b|\w{0,40}(?:ConnectTimeout|ReadTimeout)\b)/i.test(
      line.trim(),
    )
  )
    return { transient: true };
  return undefined;
}

const URL_TEXT = /\b(?:https?|postgres(?:ql)?|mysql|redis|mongodb|amqp|grpc):\/\/[^\s'"`<>()[\]{},]{1,500}/i;

function nearestAddress(
  lines: readonly string[],
  at: number,
  { command }: BlockerContext,
): string | undefined {
  const near = [
    lines[at] ?? '',
    ...lines.slice(at + 1, at + 1 + LINES_BELOW),
    ...lines.slice(Math.max(0, at - LINES_ABOVE), at).reverse(),
  ];
  for (const line of near) {
    const url = line.includes('://') ? URL_TEXT.exec(line)?.[0] : undefined;
    if (url) return url;
    const host = line.includes('host') && /^\s*(?:hostname|host): ['"]([\w.-]{1,253})['"]/.exec(line)?.[1];
    if (host) return host;
  }
  return URL_TEXT.exec(command ?? '')?.[0];
}

/** The address without user, password and query, because they may contain a key and the address is shown to people. */
function describe(address: string): { text: string; host: string } | undefined {
  const url = URL.parse(address.includes('://') ? address.replace(/[.,;:!]+$/, '') : `tcp://${address}`);
  if (!url || url.hostname === '') return undefined;
  if (url.protocol === 'tcp:') return { text: url.host, host: url.hostname };
  const path = url.pathname === '/' ? '' : url.pathname;
  return { text: `${url.protocol}//${url.host}${path}`, host: url.hostname };
}

/** True for servers that the agent started itself, and for reserved names that never resolve. */
function isLocal(host: string): boolean {
  return /^(?:localhost|.*\.localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[?::1?\]?|.*\.invalid|host\.docker\.internal)$/i.test(
    host,
  );
}
