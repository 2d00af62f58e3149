import { bareCommand } from './bare-command.ts';

export const debugCommand = bareCommand({
  name: 'debug',
  summary: 'one turn to find the root cause, nothing else changed',
});
