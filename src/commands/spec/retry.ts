import { bareCommand } from './bare-command.ts';

export const retryCommand = bareCommand({
  name: 'retry',
  summary: 'try again with the error history in hand',
});
