import { bareCommand } from './bare-command.ts';

export const pauseCommand = bareCommand({
  name: 'pause',
  summary: 'save the work and wait, without reminders',
});
