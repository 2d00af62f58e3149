import { chmod, lstat, mkdir, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { type GateAnswer, GateAsk, MAX_GATE_LINE } from '../../core/contracts/gate.ts';

/** `sockaddr_un` holds 108 bytes on Linux, 104 elsewhere, the closing NUL among them. */
const MAX_SOCKET_PATH = 103;
const MAX_CONNECTIONS = 64;
const MAX_HELD = 256;

type Gate = {
  readonly socketPath: string;
  /** Denies every ask still held, then ends. */
  close(reason?: string): Promise<void>;
};

export type GateOptions = {
  socketPath: string;
  /** May take as long as a person needs: the agent's hook waits. */
  decide(ask: GateAsk): Promise<GateAnswer>;
};

/** The door before each edit: one JSON object per line in, one answer per line out, in the order they are decided. */
export async function openGate(options: GateOptions): Promise<Gate> {
  const { socketPath } = options;
  await prepareSocketPath(socketPath);
  const connections = new Set<Socket>();
  const held = new Set<(answer: GateAnswer) => void>();
  let closed: string | undefined;

  const answerAsk = async (line: string): Promise<GateAnswer> => {
    const ask = readAsk(line);
    if (typeof ask === 'string') return deny(ask);
    if (closed !== undefined) return deny(closed);
    if (held.size >= MAX_HELD) return deny(`${MAX_HELD} edits are waiting for an answer already`);
    return hold(ask);
  };
  const hold = (ask: GateAsk): Promise<GateAnswer> =>
    new Promise((resolve) => {
      const settle = (answer: GateAnswer) => {
        held.delete(settle);
        resolve(answer);
      };
      held.add(settle);
      // A rule that throws must not let the edit through.
      Promise.resolve()
        .then(() => options.decide(ask))
        .then(settle, (error: unknown) => settle(deny(`the gate failed: ${String(error)}`)));
    });

  const server = createServer((socket) => {
    connections.add(socket);
    socket.on('close', () => connections.delete(socket));
    // The agent's hook may be killed at any time.
    socket.on('error', () => socket.destroy());
    readLines(socket, {
      onLine: (line) =>
        answerAsk(line).then((answer) => {
          if (socket.writable) socket.write(`${JSON.stringify(answer)}\n`);
        }),
      onOversize: () => {
        socket.end(`${JSON.stringify(deny(`the ask is longer than ${MAX_GATE_LINE} bytes`))}\n`);
      },
    });
  });
  server.maxConnections = MAX_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(socketPath, resolve);
  });
  await chmod(socketPath, 0o600);

  return {
    socketPath,
    close: async (reason = 'the gate was closed') => {
      if (closed !== undefined) return;
      closed = reason;
      const ended = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const settle of [...held]) settle(deny(reason));
      // The denials are written in the turns of the event loop that follow.
      await new Promise((resolve) => setImmediate(resolve));
      for (const socket of connections) socket.end();
      const grace = setTimeout(() => {
        for (const socket of connections) socket.destroy();
      }, 1000);
      await ended;
      clearTimeout(grace);
      await rm(socketPath, { force: true });
    },
  };
}

function readAsk(line: string): GateAsk | string {
  try {
    const read = GateAsk.safeParse(JSON.parse(line));
    return read.success ? read.data : `the ask is not valid: ${read.error.issues[0]?.message ?? 'unknown'}`;
  } catch (error) {
    return `the ask is not JSON: ${(error as Error).message}`;
  }
}

function readLines(socket: Socket, on: { onLine(line: string): Promise<void>; onOversize(): void }): void {
  let parts: Buffer[] = [];
  let length = 0;
  let oversize = false;
  socket.on('data', (chunk: Buffer) => {
    let rest = chunk;
    while (!oversize) {
      const end = rest.indexOf(0x0a);
      const part = end === -1 ? rest : rest.subarray(0, end);
      length += part.length;
      if (length > MAX_GATE_LINE) {
        oversize = true;
        parts = [];
        on.onOversize();
        return;
      }
      parts.push(part);
      if (end === -1) return;
      const line = Buffer.concat(parts).toString('utf8');
      parts = [];
      length = 0;
      rest = rest.subarray(end + 1);
      if (line.trim() !== '') void on.onLine(line);
    }
  });
}

async function prepareSocketPath(socketPath: string): Promise<void> {
  if (Buffer.byteLength(socketPath) > MAX_SOCKET_PATH) {
    throw new Error(
      `The gate's socket path is longer than ${MAX_SOCKET_PATH} bytes: ${socketPath}. Use a shorter directory.`,
    );
  }
  const dir = dirname(socketPath);
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const stats = await lstat(dir);
  if (!stats.isDirectory()) throw new Error(`${dir} is not a directory. The gate needs one of its own.`);
  // Also when it was there before: whoever can reach the socket can ask.
  await chmod(dir, 0o700);
  const there = await lstat(socketPath).catch(() => undefined);
  if (there !== undefined && !there.isSocket()) {
    throw new Error(`${socketPath} is there already and is no socket. Remove it.`);
  }
  // Left by a process that was killed; the worktree's lock keeps a living one away.
  await rm(socketPath, { force: true });
}

function deny(reason: string): GateAnswer {
  return { decision: 'deny', reason };
}
