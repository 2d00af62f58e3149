import { createInterface } from 'node:readline';
import { terminalLine } from '../../comments/terminal/terminal-text.ts';
import type { Prompter } from './answer-source.ts';
import { describeTypedAhead } from './describe-typed-ahead.ts';
import { discardTypedAhead } from './discard-typed-ahead.ts';
import type { LiveInput } from './live-input.ts';

/**
 * Asks questions at a terminal. Keys pressed before a question was visible do not answer it. A secret is never echoed,
 * not even its length.
 */
export function createPrompter(
  input: NodeJS.ReadStream,
  output: NodeJS.WriteStream,
  onInterrupt: () => void,
  live?: Pick<LiveInput, 'pause' | 'open'>,
): Prompter {
  outliveTerminal(input);
  let giveUp: (() => void) | undefined;
  let closed = false;
  /** Makes the terminal ready for an answer. False if there will be none. */
  const begin = async (hidden: boolean): Promise<boolean> => {
    if (closed) return false;
    const unsent = live?.pause() ?? '';
    const { text: buffered, interrupted, ended } = await discardTypedAhead(input, () => closed);
    const text = unsent + buffered;
    if (closed || ended || interrupted) {
      input.setRawMode(false);
      input.pause();
      if (interrupted) onInterrupt();
      return false;
    }
    if (text !== '') {
      const notice = `Ignored what was typed before the question${hidden ? '' : `: ${describeTypedAhead(text)}`}`;
      output.write(`${terminalLine(notice, output.columns || 80)}\n`);
    }
    return true;
  };
  const ask = async (prompt: string, hidden: boolean): Promise<string | undefined> => {
    const answer = (await begin(hidden)) ? await read(prompt, hidden) : undefined;
    if (!closed) live?.open();
    return answer;
  };
  /** One key, read from a terminal in raw mode. */
  const readKey = (): Promise<string> =>
    new Promise((resolve) => {
      const finish = (key: string) => {
        input.off('data', take).off('end', end).off('close', end);
        giveUp = undefined;
        input.setRawMode(false);
        input.pause();
        resolve(key);
      };
      const take = (chunk: Buffer) => finish(chunk.toString('utf8'));
      const end = () => finish('');
      giveUp = end;
      input.on('data', take).on('end', end).on('close', end);
      input.resume();
    });
  const read = (prompt: string, hidden: boolean): Promise<string | undefined> =>
    new Promise((resolve) => {
      let muted = false;
      // readline echoes typed text through its output, so a secret gets an output that discards everything.
      const screen = hidden
        ? (Object.assign(Object.create(output) as NodeJS.WriteStream, {
            write: (text: string) => (muted ? true : output.write(text)),
          }) as NodeJS.WriteStream)
        : output;
      const lines = createInterface({ input, output: screen, terminal: true, historySize: hidden ? 0 : 100 });
      let done = false;
      const finish = (answer: string | undefined) => {
        if (done) return;
        done = true;
        giveUp = undefined;
        lines.close();
        if (hidden) output.write('\n');
        resolve(answer);
      };
      lines.on('SIGINT', () => {
        output.write('\n');
        onInterrupt();
        finish(undefined);
      });
      lines.on('close', () => finish(undefined));
      giveUp = () => finish(undefined);
      lines.question(prompt, finish);
      muted = hidden;
    });
  return {
    readLine: (prompt) => ask(prompt, false),
    readHidden: (prompt) => ask(prompt, true),
    async confirm(prompt) {
      if (!(await begin(false))) return false;
      output.write(prompt);
      const key = await readKey();
      output.write('\n');
      if (key.includes('\x03')) onInterrupt();
      if (!closed) live?.open();
      return key === '\r' || key === '\n';
    },
    close() {
      closed = true;
      giveUp?.();
    },
  };
}

/** A closed terminal refuses to change its mode, and readline would let that error end the whole process. */
function outliveTerminal(input: NodeJS.ReadStream): void {
  const setRawMode = input.setRawMode.bind(input);
  input.setRawMode = (mode) => {
    try {
      return setRawMode(mode);
    } catch {
      return input;
    }
  };
}
