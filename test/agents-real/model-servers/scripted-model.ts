import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';

export type ModelCall = { write: string; content: string } | { run: string };

/** What the model answers the n-th time it is asked, counted by its own answers in the request: retries and resumes fit in. */
export interface ModelAnswer {
  text?: string;
  call?: ModelCall;
  /** Milliseconds between the pieces of the text. */
  slowly?: number;
  /** Cut the connection in the middle of the first try. */
  cut?: boolean;
  /** Refuse with this HTTP status and message. */
  refuse?: { status: number; type: string; message: string };
}

/** One provider's protocol. */
export interface Protocol {
  path: RegExp;
  /** How many answers of the model the request holds, and which tools it offers. */
  read(body: Record<string, unknown>): { answered: number; tools: string[] };
  events(
    answer: ModelAnswer,
    asked: { body: Record<string, unknown>; worktree: string; id: string },
  ): { event: string; data: Record<string, unknown> }[];
  refusal(refuse: NonNullable<ModelAnswer['refuse']>): Record<string, unknown>;
}

const NOTHING_LEFT: ModelAnswer = { text: 'Nothing is left to do.' };

/** A model with a script instead of a mind, on the loopback interface, gone with the test. */
export async function serveModel(protocol: Protocol, worktree: () => string, answers: ModelAnswer[]) {
  const requests: Record<string, unknown>[] = [];
  const cut = new Set<number>();
  let served = 0;
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const chunk of request) text += chunk;
    if (request.method !== 'POST' || !protocol.path.test(request.url ?? '')) {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"models":[],"data":[]}');
      return;
    }
    const body = JSON.parse(text) as Record<string, unknown>;
    const { answered, tools } = protocol.read(body);
    const main = tools.length > 0;
    if (main) requests.push(body);
    const next = (main ? answers[answered] : undefined) ?? NOTHING_LEFT;
    if (next.refuse) {
      response.writeHead(next.refuse.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(protocol.refusal(next.refuse)));
      return;
    }
    served += 1;
    const events = protocol.events(next, { body, worktree: worktree(), id: `${process.pid}x${served}` });
    const cutAt = next.cut && !cut.has(answered) ? Math.floor(events.length / 2) : -1;
    cut.add(answered);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const [at, { event, data }] of events.entries()) {
      if (at === cutAt) return void response.destroy();
      response.write(`event: ${event}\ndata: ${JSON.stringify({ type: event, ...data })}\n\n`);
      if (next.slowly && event.endsWith('delta')) await sleep(next.slowly);
    }
    response.end();
  }
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

export function inPieces(text: string): string[] {
  return text.match(/[\s\S]{1,16}/g) ?? [''];
}
