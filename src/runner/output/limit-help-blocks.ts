import type { HelpBlock } from './help-scanner.ts';

/** Limits help blocks per turn, because each one freezes the agent and may become a question that a person has to answer. */
export const MAX_HELP_BLOCKS = 20;

type HelpLimit = {
  pass(block: HelpBlock): void;
  /** A message with the number of blocks left out. Undefined if none was. */
  describeLeftOut(): string | undefined;
};

/** Forwards the first help blocks of a turn and only counts the others, so that a flood delays neither the clock nor the freeze. */
export function limitHelpBlocks(onBlock: (block: HelpBlock) => void): HelpLimit {
  let seen = 0;
  return {
    pass(block) {
      seen += 1;
      if (seen <= MAX_HELP_BLOCKS) onBlock(block);
    },
    describeLeftOut() {
      if (seen <= MAX_HELP_BLOCKS) return undefined;
      return `The agent printed ${seen} help blocks in one turn. Only the first ${MAX_HELP_BLOCKS} were read.`;
    },
  };
}
