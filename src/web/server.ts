import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { JOB_API_PATH } from '../core/ports/job-api.ts';
import { StoreUnavailableError } from '../core/ports/store-unavailable.ts';
import { answerProblem } from './answer-problem.ts';
import { type Ingest, WEBHOOK_PATH } from './ingest.ts';
import type { JobApiEnv } from './jobs/job-api.ts';
import type { Logger } from './log.ts';

export interface WebServerDependencies {
  ingest: Ingest;
  jobs: Hono<JobApiEnv>;
  /** Below `/api/runs`. */
  runs: Hono;
  /** `/healthz` and `/metrics`. */
  operate: Hono;
  /** Everything else. */
  pages?: Hono;
  log: Logger;
  timeouts?: Partial<typeof TIMEOUTS>;
}

interface WebServer {
  listen(port: number, host: string): Promise<number>;
  /**
   * Stops accepting requests, waits for running ones, and aborts them after `graceMs`. Idle connections hold up nothing, and
   * requests that do not arrive whole only a moment.
   */
  close(graceMs: number): Promise<void>;
}

/**
 * Limits for receiving a request; `arrivalMs` is for one whose body is still arriving when the server closes. They do not end long
 * polls, whose requests are short and only their responses late.
 */
const TIMEOUTS = { headersMs: 10_000, requestMs: 60_000, checkMs: 1_000, arrivalMs: 500 };
const MAX_HEADER_BYTES = 16 * 1024;

/** One HTTP server for GitHub, jobs, people and monitoring. */
export function createWebServer(deps: WebServerDependencies): WebServer {
  const { ingest, log } = deps;
  const timeouts = { ...TIMEOUTS, ...deps.timeouts };
  /** Open connections, each with its requests that are not answered yet. */
  const connections = new Map<Socket, Set<IncomingMessage>>();
  let isClosing = false;
  const listener = getRequestListener(composeApps(deps).fetch, { overrideGlobalObjects: false });
  const handle = (request: IncomingMessage, response: ServerResponse, requestId: string) => {
    if (request.url?.split('?', 1)[0] === WEBHOOK_PATH) return ingest.handle(request, response, requestId);
    response.setHeader('x-request-id', requestId);
    return listener(request, response);
  };

  const server = createServer(
    {
      headersTimeout: timeouts.headersMs,
      requestTimeout: timeouts.requestMs,
      connectionsCheckingInterval: timeouts.checkMs,
      maxHeaderSize: MAX_HEADER_BYTES,
    },
    (request, response) => {
      const { socket } = request;
      const open = connections.get(socket);
      open?.add(request);
      response.once('close', () => {
        open?.delete(request);
        // Otherwise the connection would stay open for the client's next request.
        if (isClosing && open?.size === 0) socket.destroySoon();
      });
      const requestId = randomUUID();
      handle(request, response, requestId).catch((err: unknown) => {
        log.error({ err, request_id: requestId }, 'request failed');
        if (!response.headersSent) response.writeHead(500, { 'x-request-id': requestId }).end();
        else response.destroy();
      });
    },
  );

  server.on('connection', (socket) => {
    connections.set(socket, new Set());
    socket.once('close', () => connections.delete(socket));
  });

  return {
    listen: (port, host) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, () => {
          server.off('error', reject);
          resolve((server.address() as AddressInfo).port);
        });
      }),
    async close(graceMs) {
      if (!server.listening) return;
      isClosing = true;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // To Node, a connection without any request is not idle, and it would hold up the end for as long as a header may take.
      for (const [socket, requests] of connections) if (requests.size === 0) socket.destroy();
      const timers = [
        setTimeout(() => dropArriving(connections), timeouts.arrivalMs),
        setTimeout(() => server.closeAllConnections(), graceMs),
      ];
      await closed;
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

/** Nothing was done yet for a request that has not arrived whole, and its sender notices that it was not answered. */
function dropArriving(connections: Map<Socket, Set<IncomingMessage>>): void {
  for (const [socket, requests] of connections)
    if ([...requests].every(({ complete }) => !complete)) socket.destroy();
}

function composeApps({ jobs, runs, operate, pages, log }: WebServerDependencies): Hono {
  const app = new Hono();
  app.use(async (c, next) => {
    await next();
    c.header('x-content-type-options', 'nosniff');
    c.header('referrer-policy', 'no-referrer');
  });
  app.route(JOB_API_PATH, jobs);
  app.route('/api/runs', runs);
  app.route('/', operate);
  if (pages) app.route('/', pages);
  app.notFound((c) => answerProblem(c, 'nothing_here'));
  app.onError((err, c) => {
    const away = err instanceof StoreUnavailableError;
    log.error({ err, path: c.req.path }, away ? 'store unavailable' : 'request failed');
    return answerProblem(c, away ? 'store_away' : 'fault');
  });
  return app;
}
