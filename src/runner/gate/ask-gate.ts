import { createConnection } from 'node:net';
import { GateAnswer, type GateAsk, MAX_GATE_LINE } from '../../core/contracts/gate.ts';

/** Asks the gate and waits, for a person if need be. Any failure is a denial, because an unanswered ask is not allowed. */
export function askGate(socketPath: string, ask: GateAsk, signal?: AbortSignal): Promise<GateAnswer> {
  return new Promise((resolve) => {
    const line = JSON.stringify(ask);
    if (Buffer.byteLength(line) > MAX_GATE_LINE) {
      resolve(deny(`the ask is longer than ${MAX_GATE_LINE} bytes; ask without the diff`));
      return;
    }
    const socket = createConnection(socketPath);
    const chunks: Buffer[] = [];
    let length = 0;
    const finish = (answer: GateAnswer) => {
      resolve(answer);
      socket.destroy();
    };
    signal?.addEventListener('abort', () => finish(deny('asking was given up')), { once: true });
    socket.on('connect', () => socket.write(`${line}\n`));
    socket.on('error', (error) => finish(deny(`the gate cannot be reached: ${error.message}`)));
    socket.on('close', () => finish(deny('the gate went away without an answer')));
    socket.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > MAX_GATE_LINE) return finish(deny("the gate's answer is too long"));
      const end = chunk.indexOf(0x0a);
      chunks.push(end === -1 ? chunk : chunk.subarray(0, end));
      if (end !== -1) finish(readAnswer(Buffer.concat(chunks).toString('utf8')));
    });
  });
}

function readAnswer(line: string): GateAnswer {
  try {
    return GateAnswer.parse(JSON.parse(line));
  } catch {
    return deny("the gate's answer could not be read");
  }
}

function deny(reason: string): GateAnswer {
  return { decision: 'deny', reason };
}
