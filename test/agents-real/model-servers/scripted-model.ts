import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';

export interface ToolCall {
  name: string;
  input: Record<string, unknown>;
}

export interface Refusal {
  status: number;
  type: string;
  message: string;
}

/** What the model says when the conversation has come this far. */
export interface ModelAnswer {
  text?: string;
  calls?: ToolCall[];
  /** Milliseconds between the pieces of the text. */
  slowly?: number;
  /** Stop half-way through, until the hold is released. */
  hold?: Hold;
  /** Cut the connection half-way through, at the first try. */
  cut?: boolean;
  refuse?: Refusal;
}

/** A place in the stream where the model waits for the test. */
export interface Hold {
  reached: Promise<void>;
  release(): void;
  wait(): Promise<void>;
}

export function createHold(): Hold {
  const reached = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  return {
    reached: reached.promise,
    release: released.resolve,
    wait() {
      reached.resolve();
      return released.promise;
    },
  };
}

/** One piece of a streamed answer. */
export interface StreamEvent {
  event?: string;
  data: Record<string, unknown>;
  /** A piece of the text, after which there may be a pause. */
  piece?: boolean;
}

/** One provider's protocol. */
export interface Protocol {
  path: RegExp;
  /** How many answers of the model the request holds. Undefined: a side question, such as for a title. */
  answered(body: Record<string, unknown>): number | undefined;
  events(
    answer: { text: string; calls: ToolCall[] },
    asked: { body: Record<string, unknown>; path: string; id: string },
  ): StreamEvent[];
  refusal(refuse: Refusal): Record<string, unknown>;
  lastLine?: string;
}

export interface ScriptedModel {
  url: string;
  /** Every request of the conversation, as text. */
  requests: string[];
  /** The newest one: the whole conversation is in there. */
  lastRequest(): string;
  /** The keys that requests of the conversation came with. */
  keys: Set<string>;
}

/** What one request of every scripted model costs. */
export const TOKENS = { input: 1000, output: 50 };

const MAX_BODY = 16 * 1024 * 1024;
const PIECE = /[\s\S]{1,24}/g;

/**
 * A model with a script instead of a mind, on the loopback interface, gone with the test. Which answer it gives comes from
 * the request's own history, so a retry gets the same one and a resumed conversation the next.
 */
export async function serveModel(
  protocol: Protocol,
  answerAt: (number: number) => ModelAnswer | undefined,
): Promise<ScriptedModel> {
  const requests: string[] = [];
  const keys = new Set<string>();
  const cut = new Set<number>();
  let served = 0;
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await readBody(request);
    const path = request.url ?? '/';
    if (request.method !== 'POST' || !protocol.path.test(path)) {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"models":[],"data":[]}');
      return;
    }
    const body = JSON.parse(text) as Record<string, unknown>;
    const number = protocol.answered(body);
    if (number !== undefined) requests.push(text);
    for (const name of ['x-api-key', 'x-goog-api-key', 'authorization'])
      keys.add(String(request.headers[name]).replace('Bearer ', ''));
    const next = (number === undefined ? { text: 'A title' } : answerAt(number)) ?? {
      text: 'Nothing is left.',
    };
    if (next.refuse) {
      response.writeHead(next.refuse.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(protocol.refusal(next.refuse)));
      return;
    }
    served += 1;
    const asked = { body, path, id: `${process.pid}x${served}` };
    const events = protocol.events({ text: next.text ?? '', calls: next.calls ?? [] }, asked);
    const half = Math.ceil(events.filter(({ piece }) => piece).length / 2);
    const isCut = next.cut && !cut.has(number ?? -1);
    cut.add(number ?? -1);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    let pieces = 0;
    for (const { event, data, piece } of events) {
      response.write(`${event ? `event: ${event}\n` : ''}data: ${JSON.stringify(data)}\n\n`);
      if (!piece) continue;
      pieces += 1;
      if (isCut && pieces === half) return void response.destroy();
      if (pieces === half) await next.hold?.wait();
      if (next.slowly) await sleep(next.slowly);
    }
    response.end(protocol.lastLine ?? '');
  }
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    keys,
    lastRequest: () => requests.at(-1) ?? '',
  };
}

export function inPieces(text: string): string[] {
  return text.match(PIECE) ?? [];
}

async function readBody(request: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request) {
    length += part.length;
    if (length > MAX_BODY) throw new Error('the request is larger than any of these tests needs');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
