import { bareCommand } from './bare-command.ts';

export const acceptCommand = bareCommand({
  name: 'accept',
  summary: 'finish now with what works, marked as partial',
});
