import type { CommandName } from '../../core/contracts/command.ts';
import { tidyWords } from '../reading/words.ts';
import type { CommandSpec } from './command-spec.ts';

type BareName = Exclude<CommandName, 'provide' | 'continue' | 'guide' | 'override' | 'approve'>;

interface BareCommand {
  name: BareName;
  summary: string;
  /** `/status?` is a fair way to ask; `/cancel?` is a question to people, not an order. */
  mayBeAsked?: boolean;
}

/** A command that stands alone on its line. */
export function bareCommand({ name, summary, mayBeAsked = false }: BareCommand): CommandSpec {
  const form = `/${name}`;
  const punctuation = mayBeAsked ? /^[\s.,;:!?…]*$/u : /^[\s.,;:!…]*$/u;
  return {
    name,
    usage: form,
    summary,
    example: form,
    takes: 'nothing',
    parse({ line }) {
      if (punctuation.test(tidyWords(line))) return { ok: true, command: { name } };
      return { ok: false, problem: `\`${form}\` stands alone on its line.`, suggestion: form };
    },
  };
}
