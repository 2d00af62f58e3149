import { bareCommand } from './bare-command.ts';

export const skipCommand = bareCommand({
  name: 'skip',
  summary: 'list it as a known issue and finish the rest',
});
