import { bareCommand } from './bare-command.ts';

export const reviewCommand = bareCommand({
  name: 'review',
  summary: 'show the full history, then ask again',
  mayBeAsked: true,
});
