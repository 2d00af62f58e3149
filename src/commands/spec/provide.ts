import { provideForm } from '../../core/contracts/command.ts';
import type { CommandSpec, CommandText, FollowingBlock, ParsedCommand } from './command-spec.ts';
import { readPairs, startsPair } from './read-pairs.ts';

const USAGE = '/provide key=value …';
const OWN_NAME = /^\s*\/(?:autobuild\s+\/?)?provide(?=\s|$)/iu;

export const provideCommand: CommandSpec = {
  name: 'provide',
  usage: USAGE,
  summary: 'provide the requested values',
  example: '/provide key="a value"',
  takes: 'values',
  parse(args) {
    const inputs = new Map<string, string>();
    const problem = readInputs(args, inputs);
    if (problem) return { ...refuse(problem.text, [...inputs.keys(), ...problem.keys]), hint: problem.hint };
    if (inputs.size === 0 && !args.canPrompt) return refuse('`/provide` needs at least one value.', []);
    return { ok: true, command: { name: 'provide', inputs: Object.fromEntries(inputs) } };
  },
};

interface Problem {
  text: string;
  /** Keys to show in the right form, besides those that were read. */
  keys: string[];
  hint?: string;
}

function readInputs({ line, blocks }: CommandText, inputs: Map<string, string>): Problem | undefined {
  /** The key whose value is the next fenced block. */
  let pending: string | undefined;
  const all: FollowingBlock[] = [{ kind: 'line', text: `/provide ${line}` }, ...blocks];
  for (const part of all) {
    if (part.kind === 'fence') {
      if (pending === undefined) continue;
      if (!part.closed)
        return { text: `The fenced block after \`${pending}=\` is not closed.`, keys: [pending] };
      if (part.content === '') return noValue(pending);
      inputs.set(pending, part.content);
      pending = undefined;
      continue;
    }
    if (pending !== undefined) return noValue(pending);
    if (part.kind === 'other') continue;
    const own = OWN_NAME.test(part.text);
    // A line that does not begin like a value is prose, because people say thank you.
    if (!own && !startsPair(part.text)) continue;
    const read = readPairs(part.text.replace(OWN_NAME, ''), inputs);
    if ('problem' in read) return { text: read.problem, keys: read.key === undefined ? [] : [read.key] };
    pending = read.pending;
  }
  return pending === undefined ? undefined : noValue(pending);
}

function noValue(key: string): Problem {
  return {
    text: `\`${key}=\` has no value.`,
    keys: [key],
    hint: 'Write it right after the `=`, or in a fenced block below.',
  };
}

function refuse(problem: string, keys: string[]): ParsedCommand {
  return { ok: false, problem, suggestion: keys.length === 0 ? USAGE : provideForm([...new Set(keys)]) };
}
