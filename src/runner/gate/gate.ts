import { chmod, lstat, mkdir, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { type GateAnswer, GateAsk, MAX_GATE_LINE } from '../../core/contracts/gate.ts';

/** `sockaddr_un` has 108 bytes on Linux and 104 elsewhere, including the closing NUL. */
const MAX_SOCKET_PATH = 103;
const MAX_CONNECTIONS = 64;
const MAX_HELD = 256;

type Gate = {
  readonly socketPath: string;
  /** Denies every ask that is still held. */
  close(reason?: string): Promise<void>;
};

export type GateOptions = {
  socketPath: string;
  /** May take as long as a person needs, because the agent's hook waits. */
  decide(ask: GateAsk): Promise<GateAnswer>;
};

/** Answers an agent's question before each edit. Both are a line of JSON; answers come in the order they are decided. */
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
      // An error in the decision must not allow the edit.
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
      // Gives the event loop a turn to write the denials.
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
  let chunks: Buffer[] = [];
  let length = 0;
  let oversize = false;
  socket.on('data', (chunk: Buffer) => {
    let rest = chunk;
    while (!oversize) {
      const end = rest.indexOf(0x0a);
      const piece = end === -1 ? rest : rest.subarray(0, end);
      length += piece.length;
      if (length > MAX_GATE_LINE) {
        oversize = true;
        chunks = [];
        on.onOversize();
        return;
      }
      chunks.push(piece);
      if (end === -1) return;
      const line = Buffer.concat(chunks).toString('utf8');
      chunks = [];
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
  // Also for an existing directory, because every process that can reach the socket can ask.
  await chmod(dir, 0o700);
  const there = await lstat(socketPath).catch(() => undefined);
  if (there !== undefined && !there.isSocket()) {
    throw new Error(`${socketPath} is there already and is no socket. Remove it.`);
  }
  // Left by a process that was killed. No living process uses it, because the run holds the worktree's lock.
  await rm(socketPath, { force: true });
}

function deny(reason: string): GateAnswer {
  return { decision: 'deny', reason };
}
