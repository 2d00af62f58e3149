import { bareCommand } from './bare-command.ts';

export const helpCommand = bareCommand({
  name: 'help',
  summary: 'list the commands that make sense now',
  mayBeAsked: true,
});
