import { lstatSync, mkdirSync, writeFileSync } from 'node:fs';
import { createConnection, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type GateAnswer, type GateAsk, pathsOfAsk } from '../../../src/core/contracts/gate.ts';
import { askGate } from '../../../src/runner/gate/ask-gate.ts';
import { type GateOptions, openGate } from '../../../src/runner/gate/gate.ts';
import { makeTemporaryDirectory } from '../temporary-worktree.ts';

const ALLOW: GateAnswer = { decision: 'allow', reason: 'fine' };

async function open(options: Partial<GateOptions> = {}) {
  const socketPath = join(makeTemporaryDirectory(), 'gate', 's');
  const gate = await openGate({ socketPath, decide: async () => ALLOW, ...options });
  onTestFinished(() => gate.close());
  return gate;
}

/** Sends bytes as they are; resolves with all that comes back until the other side or enough lines end it. */
function send(socketPath: string, bytes: string | Buffer, lines = 1): Promise<string[]> {
  return new Promise((resolve) => {
    const socket = createConnection(socketPath);
    let text = '';
    const finish = () => {
      socket.destroy();
      resolve(text.split('\n').slice(0, -1));
    };
    socket.on('data', (chunk) => {
      text += chunk;
      if (text.split('\n').length > lines) finish();
    });
    socket.on('close', finish);
    socket.on('error', finish);
    socket.write(bytes);
  });
}

describe('the gate', () => {
  test('answers an ask as the rule says', async () => {
    const seen: unknown[] = [];
    const gate = await open({
      async decide(ask) {
        seen.push(ask);
        return { decision: ask.path === 'src/a.ts' ? 'allow' : 'deny', reason: 'by rule' };
      },
    });
    expect(await askGate(gate.socketPath, { path: 'src/a.ts', tool: 'Edit' })).toEqual({
      decision: 'allow',
      reason: 'by rule',
    });
    expect(await askGate(gate.socketPath, { path: 'b.ts' })).toMatchObject({ decision: 'deny' });
    expect(seen).toEqual([{ path: 'src/a.ts', tool: 'Edit' }, { path: 'b.ts' }]);
  });

  test('is for its owner only', async () => {
    const gate = await open();
    expect(lstatSync(gate.socketPath).mode & 0o777).toBe(0o600);
    expect(lstatSync(join(gate.socketPath, '..')).mode & 0o777).toBe(0o700);
  });

  test('E-5: a held ask has no answer until it is decided, and others pass meanwhile', async () => {
    const decision = Promise.withResolvers<GateAnswer>();
    const asked = Promise.withResolvers<void>();
    const gate = await open({
      decide(ask) {
        asked.resolve();
        return ask.path === 'held.ts' ? decision.promise : Promise.resolve(ALLOW);
      },
    });
    let settled = false;
    const held = askGate(gate.socketPath, { path: 'held.ts' }).finally(() => {
      settled = true;
    });
    await asked.promise;
    expect(await askGate(gate.socketPath, { path: 'other.ts' })).toEqual(ALLOW);
    expect(settled).toBe(false);
    decision.resolve({ decision: 'allow', reason: 'approved by a person' });
    expect(await held).toEqual({ decision: 'allow', reason: 'approved by a person' });
  });

  test('closing denies every held ask, and says why', async () => {
    let asks = 0;
    const allAsked = Promise.withResolvers<void>();
    const gate = await open({
      decide() {
        asks += 1;
        if (asks === 3) allAsked.resolve();
        return new Promise(() => undefined);
      },
    });
    const held = ['a', 'b', 'c'].map((path) => askGate(gate.socketPath, { path }));
    await allAsked.promise;
    await gate.close('the run was cancelled');
    expect(await Promise.all(held)).toEqual(
      Array(3).fill({ decision: 'deny', reason: 'the run was cancelled' }),
    );
    expect(await askGate(gate.socketPath, { path: 'late' })).toMatchObject({ decision: 'deny' });
  });

  test('what cannot be read is denied with the reason, and the connection goes on', async () => {
    const seen: GateAsk[] = [];
    const gate = await open({
      async decide(ask) {
        seen.push(ask);
        return ALLOW;
      },
    });
    const lines = ['not json', '{}', '{"paths":[]}', '[1]', '{"path":7}', '{"path":"a.ts"}'];
    const answers = await send(gate.socketPath, `${lines.join('\n')}\n`, lines.length);
    const decisions = answers.map((line) => (JSON.parse(line) as GateAnswer).decision);
    expect(decisions.sort()).toEqual(['allow', 'deny', 'deny', 'deny', 'deny', 'deny']);
    expect(seen).toEqual([{ path: 'a.ts' }]);
  });

  test('more than a mebibyte is denied and not kept', async () => {
    const gate = await open();
    const [answer] = await send(gate.socketPath, Buffer.alloc(1024 * 1024 + 1, 'x'));
    expect(JSON.parse(answer ?? '{}')).toMatchObject({
      decision: 'deny',
      reason: expect.stringContaining('longer'),
    });
    expect(await askGate(gate.socketPath, { path: 'a', diff: 'x'.repeat(1024 * 1024) })).toMatchObject({
      decision: 'deny',
    });
    expect(await askGate(gate.socketPath, { path: 'a', diff: 'x'.repeat(900_000) })).toEqual(ALLOW);
  });

  test('a rule that throws denies', async () => {
    const gate = await open({
      decide: () => {
        throw new Error('broken rule');
      },
    });
    expect(await askGate(gate.socketPath, { path: 'a' })).toMatchObject({
      decision: 'deny',
      reason: expect.stringContaining('broken rule'),
    });
  });

  test('an agent that dies while it waits harms nobody', async () => {
    const arrived = Promise.withResolvers<void>();
    const gate = await open({
      decide(ask) {
        arrived.resolve();
        return ask.path === 'held' ? new Promise(() => undefined) : Promise.resolve(ALLOW);
      },
    });
    const socket = createConnection(gate.socketPath);
    socket.write('{"path":"held"}\n');
    await arrived.promise;
    socket.destroy();
    expect(await askGate(gate.socketPath, { path: 'b' })).toEqual(ALLOW);
    await gate.close();
    expect(await askGate(gate.socketPath, { path: 'b' })).toMatchObject({ decision: 'deny' });
  });

  test('a socket left by a killed process is replaced, any other file is not', async () => {
    const dir = join(makeTemporaryDirectory(), 'gate');
    mkdirSync(dir);
    writeFileSync(join(dir, 's'), 'precious');
    await expect(openGate({ socketPath: join(dir, 's'), decide: async () => ALLOW })).rejects.toThrow(
      /no socket/,
    );
    await expect(
      openGate({ socketPath: `/tmp/${'x'.repeat(120)}`, decide: async () => ALLOW }),
    ).rejects.toThrow(/longer than/);
  });
});

describe('asking fails closed', () => {
  async function serve(onLine: (line: string) => string | undefined): Promise<string> {
    const socketPath = join(makeTemporaryDirectory(), 's');
    const server: Server = createServer((socket) => {
      socket.on('error', () => socket.destroy());
      socket.on('data', (chunk) => {
        const answer = onLine(String(chunk));
        if (answer !== undefined) socket.write(answer);
        socket.end();
      });
    });
    await new Promise<void>((resolve) => server.listen(socketPath, resolve));
    onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
    return socketPath;
  }

  test.each([
    ['no answer', undefined],
    ['half an answer', '{"decision":"allow","reason":"x"}'],
    ['no JSON', 'yes\n'],
    ['no decision', '{"reason":"x"}\n'],
    ['an unknown decision', '{"decision":"maybe","reason":"x"}\n'],
    ['an endless answer', 'x'.repeat(2 * 1024 * 1024)],
  ])('%s is a denial', async (_what, answer) => {
    const socketPath = await serve(() => answer);
    expect(await askGate(socketPath, { path: 'a' })).toMatchObject({
      decision: 'deny',
      reason: expect.any(String),
    });
  });

  test('no socket is a denial, and so is giving up', async () => {
    expect(await askGate(join(makeTemporaryDirectory(), 'none'), { path: 'a' })).toMatchObject({
      decision: 'deny',
    });
    const patience = new AbortController();
    const gate = await open({
      decide() {
        patience.abort();
        return new Promise(() => undefined);
      },
    });
    expect(await askGate(gate.socketPath, { path: 'a' }, patience.signal)).toEqual({
      decision: 'deny',
      reason: 'asking was given up',
    });
  });
});

test('an ask may name one path, several, or both', () => {
  expect(pathsOfAsk({ path: 'a', paths: ['b', 'a'] })).toEqual(['a', 'b']);
});
