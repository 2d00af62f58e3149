import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface ToolCall {
  name: string;
  input: Record<string, unknown>;
}

/** What the model says when the conversation has come this far. */
export interface ModelTurn {
  text?: string;
  calls?: ToolCall[];
  /** Pause between the pieces of the text. */
  pieceMs?: number;
  /** Answer with this HTTP status and error message instead. */
  status?: number;
  message?: string;
  /** Cut the connection after so many pieces, at the first so many tries. */
  cutAfter?: number;
  cutTimes?: number;
}

export interface ModelScript {
  turns: ModelTurn[];
  tokens?: { input: number; output: number };
}

export interface ModelServer {
  url: string;
  /** How often each turn of the script was asked for. */
  asked: number[];
  /** The newest request's body. */
  lastRequest(): string;
  close(): Promise<void>;
}

/** One provider's dialect: how to recognize a request, how far its conversation is, and how to answer it. */
export interface Dialect {
  isModelCall(path: string): boolean;
  /** Turns the model has had already, by the history in the request; undefined: a side question without tools. */
  turnOf(body: Record<string, unknown>): number | undefined;
  head(body: Record<string, unknown>, path: string): Record<string, unknown>;
  piece(text: string, head: Record<string, unknown>): unknown[];
  finish(
    turn: ModelTurn,
    tokens: { input: number; output: number },
    head: Record<string, unknown>,
  ): unknown[];
  error(status: number, message: string): unknown;
  lastLine?: string;
}

const MAX_BODY = 16 * 1024 * 1024;
const PIECE = 24;

/**
 * A model that follows a script. Which turn it plays comes from the request's own history, so a retry gets the same turn
 * and a resumed conversation the next.
 */
export async function serveScript(script: ModelScript, dialect: Dialect): Promise<ModelServer> {
  const asked: number[] = [];
  let last = '';
  const server = createServer(async (request, response) => {
    const text = await readBody(request);
    const path = request.url ?? '/';
    if (request.method !== 'POST' || !dialect.isModelCall(path)) {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[],"totalTokens":1}');
      return;
    }
    const body = JSON.parse(text) as Record<string, unknown>;
    const number = dialect.turnOf(body);
    if (number !== undefined) {
      last = text;
      asked[number] = (asked[number] ?? 0) + 1;
    }
    const turn =
      number === undefined ? { text: 'a title' } : (script.turns[number] ?? { text: 'Nothing is left.' });
    await answer(response, turn, asked[number ?? -1] ?? 1, dialect, dialect.head(body, path), script.tokens);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    lastRequest: () => last,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function answer(
  response: ServerResponse,
  turn: ModelTurn,
  attempt: number,
  dialect: Dialect,
  head: Record<string, unknown>,
  tokens = { input: 100, output: 10 },
): Promise<void> {
  if (turn.status !== undefined) {
    response.writeHead(turn.status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(dialect.error(turn.status, turn.message ?? 'scripted failure')));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (data: unknown) => response.write(`data: ${JSON.stringify(data)}\n\n`);
  const pieces = turn.text?.match(new RegExp(`[\\s\\S]{1,${PIECE}}`, 'g')) ?? [];
  const cutAt = turn.cutAfter !== undefined && attempt <= (turn.cutTimes ?? 1) ? turn.cutAfter : undefined;
  for (const [index, piece] of pieces.entries()) {
    if (index === cutAt) {
      response.destroy();
      return;
    }
    dialect.piece(piece, head).forEach(send);
    await sleep(turn.pieceMs ?? 0);
  }
  dialect.finish(turn, tokens, head).forEach(send);
  response.end(dialect.lastLine ?? '');
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
