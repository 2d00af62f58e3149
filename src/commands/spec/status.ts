import { bareCommand } from './bare-command.ts';

export const statusCommand = bareCommand({
  name: 'status',
  summary: 'say where the run stands',
  mayBeAsked: true,
});
