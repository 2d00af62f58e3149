import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline, Transform } from 'node:stream';
import type { KeyHeader } from '../../agents/key-route.ts';
import { isAllowedPath } from './allowed-path.ts';
import { endToEnd, swapKey } from './swap-key.ts';
import { openUpstream } from './upstream.ts';

const METHODS: ReadonlySet<string | undefined> = new Set(['GET', 'POST']);
const LOOPBACK = '127.0.0.1';
const KEEP_ALIVE_MS = 60_000;

/** A dummy key still opens the model, so one turn can use it only so much. */
const LIMITS = { requests: 5_000, atOnce: 32, bodyBytes: 64 * 1024 * 1024 };

interface KeyProxyOptions {
  upstream: URL;
  paths: readonly string[];
  keys: ReadonlyMap<KeyHeader, string>;
  /** Where certificates and web proxies are read from. */
  env: Readonly<Record<string, string | undefined>>;
  limits?: typeof LIMITS;
}

interface KeyProxy {
  /** The address for the agent, with the path of the upstream. */
  url: string;
  /** The key for the agent. It opens this proxy and nothing else, until the proxy is closed. */
  dummy: string;
  close(): Promise<void>;
}

/**
 * Relays requests of one agent to its model and adds the key, so that the agent need not have it. It relays to one server, on
 * the paths of the model alone. Answers pass as they come, refusals included.
 */
export async function openKeyProxy(options: KeyProxyOptions): Promise<KeyProxy> {
  const { upstream: address, paths, keys, env, limits = LIMITS } = options;
  const dummy = `autobuild-${randomBytes(24).toString('hex')}`;
  const base = address.pathname.replace(/\/+$/, '');
  const upstream = openUpstream(address, env);
  let relayed = 0;
  let open = 0;

  /** The headers for the upstream, or the refusal. */
  function judge({ method, url = '', headers }: IncomingMessage): OutgoingHttpHeaders | Refusal {
    if (!METHODS.has(method) || !isAllowedPath(url, base, paths))
      return new Refusal(403, 'permission_error', 'no request of a model is made like this');
    const swapped = swapKey(headers, dummy, keys);
    if (!swapped) return new Refusal(401, 'authentication_error', 'this is not the key of this turn');
    if (Number(headers['content-length'] ?? 0) > limits.bodyBytes) return tooLong(limits.bodyBytes);
    if (relayed >= limits.requests)
      return new Refusal(429, 'rate_limit_error', `one turn has at most ${limits.requests} requests`);
    if (open >= limits.atOnce)
      return new Refusal(429, 'rate_limit_error', `at most ${limits.atOnce} requests run at once`);
    return swapped;
  }

  function relay(request: IncomingMessage, response: ServerResponse): void {
    const headers = judge(request);
    if (headers instanceof Refusal) {
      refuse(response, headers);
      return;
    }
    relayed += 1;
    open += 1;
    const outgoing = upstream.request({ method: request.method, path: request.url, headers });
    outgoing.on('response', (incoming) => {
      response.writeHead(incoming.statusCode ?? 502, endToEnd(incoming.headers));
      response.flushHeaders();
      // An answer that is cut is cut for the agent, too.
      pipeline(incoming, response, () => undefined);
    });
    const fail = (refusal: Refusal): void => {
      if (response.writableEnded) return;
      if (response.headersSent) response.destroy();
      else refuse(response, refusal);
    };
    outgoing.on('error', ({ code, message }: NodeJS.ErrnoException) =>
      fail(new Refusal(502, 'api_error', `${address.host} cannot be reached: ${code ?? message}`)),
    );
    response.on('close', () => {
      open -= 1;
      outgoing.destroy();
    });
    const body = boundedBody(limits.bodyBytes);
    // Heard before the request that is given up for it.
    body.on('error', (error) => error instanceof Refusal && fail(error));
    pipeline(request, body, outgoing, () => undefined);
  }

  const server = createServer({ requestTimeout: 0, keepAliveTimeout: KEEP_ALIVE_MS }, relay);
  server.on('clientError', (_, socket) => socket.destroy());
  server.listen(0, LOOPBACK);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${LOOPBACK}:${port}${base}`,
    dummy,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      upstream.close();
      await closed;
    },
  };
}

class Refusal extends Error {
  readonly status: number;
  readonly type: string;

  constructor(status: number, type: string, message: string) {
    super(message);
    this.status = status;
    this.type = type;
  }
}

function tooLong(bytes: number): Refusal {
  return new Refusal(413, 'request_too_large', `a request has at most ${bytes} bytes`);
}

/** In the words that the clients of all providers read. */
function refuse(response: ServerResponse, { status, type, message }: Refusal): void {
  const said = { type, code: status, status: type, message: `Autobuild's key proxy: ${message}.` };
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ type: 'error', error: said }));
}

/** A body without a length is counted as it comes. */
function boundedBody(bytes: number): Transform {
  let left = bytes;
  return new Transform({
    transform(chunk: Buffer, _, done) {
      left -= chunk.length;
      done(left < 0 ? tooLong(bytes) : null, chunk);
    },
  });
}
