import { createInterface, type Interface } from 'node:readline';
import { terminalLine } from '../../comments/terminal/terminal-text.ts';
import type { Prompter } from './answer-source.ts';
import { describeTypedAhead } from './describe-typed-ahead.ts';
import { discardTypedAhead } from './discard-typed-ahead.ts';
import type { LiveInput } from './live-input.ts';

/** The line on which a person answers. */
export interface QuestionLine {
  /** Prints above the line, which stays the last one with what was typed so far. */
  above(write: () => void): void;
}

/**
 * Asks questions at a terminal. Keys pressed before a question was visible do not answer it. A secret is never echoed,
 * not even its length.
 */
export function createPrompter(
  input: NodeJS.ReadStream,
  output: NodeJS.WriteStream,
  onInterrupt: () => void,
  live?: Pick<LiveInput, 'pause' | 'open'>,
): Prompter & QuestionLine {
  outliveTerminal(input);
  let giveUp: (() => void) | undefined;
  let shown: { erase(): void; draw(): void } | undefined;
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
  /** A prompt behind which nothing that was typed is visible. */
  const bare = (prompt: string) => ({
    erase: () => void output.write('\r\x1b[J'),
    draw: () => void output.write(prompt),
  });
  /** One key, read from a terminal in raw mode. */
  const readKey = (): Promise<string> =>
    new Promise((resolve) => {
      const finish = (key: string) => {
        input.off('data', take).off('end', end).off('close', end);
        giveUp = undefined;
        shown = undefined;
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
        shown = undefined;
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
      shown = hidden ? bare(prompt) : typedLine(lines, output);
    });
  return {
    readLine: (prompt) => ask(prompt, false),
    readHidden: (prompt) => ask(prompt, true),
    async confirm(prompt) {
      if (!(await begin(false))) return false;
      output.write(prompt);
      shown = bare(prompt);
      const key = await readKey();
      output.write('\n');
      if (key.includes('\x03')) onInterrupt();
      if (!closed) live?.open();
      return key === '\r' || key === '\n';
    },
    above(write) {
      const line = shown;
      line?.erase();
      write();
      line?.draw();
    },
    close() {
      closed = true;
      giveUp?.();
    },
  };
}

/** The prompt and the text behind it, which may fill several rows. */
function typedLine(lines: Interface, output: NodeJS.WriteStream) {
  return {
    erase() {
      const { rows } = lines.getCursorPos();
      output.write(`\r${rows > 0 ? `\x1b[${rows}A` : ''}\x1b[J`);
    },
    draw() {
      // readline goes up by the rows of its last drawing, which are erased.
      Object.assign(lines, { prevRows: 0 });
      lines.prompt(true);
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
