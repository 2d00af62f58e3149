import type { CommandRule } from './command-rule.ts';
import { informed } from './informed.ts';

export const helpRule: CommandRule = {
  listed: { resting: 'last', ended: 'last' },
  ...informed(() => ({ title: 'What you can do now' })),
};
