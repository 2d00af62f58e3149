import type { CommandSpec } from './command-spec.ts';

interface TextCommand {
  name: 'guide' | 'override';
  usage: string;
  summary: string;
  example: string;
}

/** A command whose argument is everything after its name, unchanged, including fenced blocks. */
export function textCommand({ name, usage, summary, example }: TextCommand): CommandSpec {
  return {
    name,
    usage,
    summary,
    example,
    takes: 'text',
    parse({ line, following }) {
      const text = `${line}\n${following}`.trim();
      if (text !== '') return { ok: true, command: { name, text } };
      return { ok: false, problem: `\`/${name}\` needs some text after it.`, suggestion: usage };
    },
  };
}
