import { parseComment } from '../../commands/parse-comment.ts';
import { parseTerminalLine } from '../../commands/parse-line.ts';
import { COMMAND_NAMES, type Command, type CommandName } from '../../core/contracts/command.ts';
import type { Escalation } from '../../core/contracts/escalation.ts';

export type Answered =
  | { kind: 'command'; command: Command; via: 'terminal' | 'answer_flag' }
  /** Not understood. Nothing changed, so the reason is shown and the question is asked again. */
  | { kind: 'problem'; problem: string; suggestion?: string; isAboutPaths?: true; isPlain?: boolean }
  /** An empty line, or words that were not sent after all. */
  | { kind: 'nothing' }
  /** Nobody is there to ask. */
  | { kind: 'none' };

export interface AnswerSource {
  next(escalation: Escalation, given: ReadonlySet<string>): Promise<Answered>;
  /** The next `--answer` text, if it is one of these commands. Any other stays for the next question. */
  nextFlag(names: readonly CommandName[]): Extract<Answered, { kind: 'command' }> | undefined;
  /** V-9: what comes after a run that is done: the next `--answer` text, or a line of the person at the terminal. */
  atRest(): Promise<Answered>;
  /** Stops asking. A pending question resolves to `none`. */
  close(): void;
}

/** Reads a line, or a value without echoing it. Undefined means that the input ended or was aborted. */
export interface Prompter {
  readLine(prompt: string): Promise<string | undefined>;
  readHidden(prompt: string): Promise<string | undefined>;
  /** Enter is a yes, any other key a no. */
  confirm(prompt: string): Promise<boolean>;
  close(): void;
}

/** Yields the `--answer` texts in order, then asks the person at the terminal, if there is one. */
export function createAnswerSource(texts: string[], prompter: Prompter | undefined): AnswerSource {
  const queue = [...texts];
  return {
    close: () => prompter?.close(),
    nextFlag(names) {
      const answered = queue[0] === undefined ? undefined : read(queue[0], 'answer_flag');
      if (answered?.kind !== 'command' || !names.includes(answered.command.name)) return undefined;
      queue.shift();
      return answered;
    },
    async atRest() {
      const text = queue.shift();
      if (text !== undefined) return read(text, 'answer_flag');
      const line = await prompter?.readLine('> ');
      if (!prompter || line === undefined) return { kind: 'none' };
      const answered = readTyped(line);
      return answered.kind === 'problem' && answered.isPlain
        ? offerGuidance(line.trim(), prompter, 'Begin another round with this?')
        : answered;
    },
    async next(escalation, given) {
      const text = queue.shift();
      if (text !== undefined) return read(text, 'answer_flag');
      if (!prompter) return { kind: 'none' };
      const line = await prompter.readLine('> ');
      if (line === undefined) return { kind: 'none' };
      const answered = readTyped(line);
      if (answered.kind === 'problem' && answered.isPlain) return offerGuidance(line.trim(), prompter);
      const wantsFields =
        answered.kind === 'command' &&
        answered.command.name === 'provide' &&
        escalation.inputs.length > 0 &&
        Object.keys(answered.command.inputs).length === 0;
      return wantsFields ? askForValues(escalation, given, prompter) : answered;
    },
  };
}

/** Reads a line that a person typed. */
export function readTyped(line: string): Exclude<Answered, { kind: 'none' }> {
  if (line.trim() === '') return { kind: 'nothing' };
  const answered = read(line, 'terminal');
  return answered.kind === 'problem' ? { ...answered, isPlain: isPlainWords(line) } : answered;
}

/** Several words without a slash are meant for the agent. A single one is more likely a misspelled command. */
function isPlainWords(line: string): boolean {
  const [first = '', ...more] = line.trim().split(/\s+/);
  const isCommand = (COMMAND_NAMES as readonly string[]).includes(first.toLowerCase());
  return more.length > 0 && !first.startsWith('/') && !isCommand;
}

async function offerGuidance(
  text: string,
  prompter: Prompter,
  question = 'Send this to the agent as guidance and continue?',
): Promise<Answered> {
  const isWanted = await prompter.confirm(`  ${question}  ⏎ yes · Esc no `);
  return isWanted
    ? { kind: 'command', command: { name: 'guide', text }, via: 'terminal' }
    : { kind: 'nothing' };
}

function read(
  text: string,
  via: 'terminal' | 'answer_flag',
): Extract<Answered, { kind: 'command' | 'problem' }> {
  // A value in a fenced block needs the grammar of comments. A single line needs no slash.
  const parsed = text.includes('\n') ? parseComment(text, { isOwn: true }) : parseTerminalLine(text);
  if (parsed.kind === 'command') return { ...parsed, via };
  if (parsed.kind === 'reply')
    return {
      kind: 'problem',
      problem: parsed.problem,
      suggestion: parsed.suggestion,
      isAboutPaths: parsed.isAboutPaths,
    };
  return { kind: 'problem', problem: 'Type a command, or /help.', suggestion: '/help' };
}

async function askForValues(
  escalation: Escalation,
  given: ReadonlySet<string>,
  prompter: Prompter,
): Promise<Answered> {
  const inputs: Record<string, string> = {};
  for (const input of escalation.inputs) {
    if (given.has(input.key)) continue;
    const value = input.secret
      ? await prompter.readHidden(`  ${input.label} (not echoed): `)
      : await prompter.readLine(`  ${input.label}: `);
    if (value === undefined) return { kind: 'none' };
    if (value !== '') inputs[input.key] = value;
  }
  if (Object.keys(inputs).length === 0) {
    return { kind: 'problem', problem: 'no value was typed.', suggestion: '/provide' };
  }
  return { kind: 'command', command: { name: 'provide', inputs }, via: 'terminal' };
}
