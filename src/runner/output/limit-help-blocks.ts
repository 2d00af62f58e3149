import type { HelpBlock } from './help-scanner.ts';

/** Each block freezes the agent, is parsed and may become a question; nobody answers more than this in one turn. */
export const MAX_HELP_BLOCKS = 20;

type HelpLimit = {
  take(block: HelpBlock): void;
  /** Says how many blocks were left out, or undefined when all of them were passed on. */
  describeLeftOut(): string | undefined;
};

/** Passes on the first help blocks of a turn and counts the others, so that a flood does not delay the clock and the freeze. */
export function limitHelpBlocks(onBlock: (block: HelpBlock) => void): HelpLimit {
  let seen = 0;
  return {
    take(block) {
      seen += 1;
      if (seen <= MAX_HELP_BLOCKS) onBlock(block);
    },
    describeLeftOut() {
      if (seen <= MAX_HELP_BLOCKS) return undefined;
      return `The agent printed ${seen} help blocks in one turn. Only the first ${MAX_HELP_BLOCKS} were read.`;
    },
  };
}
