import { bareCommand } from './bare-command.ts';

export const terminateCommand = bareCommand({
  name: 'terminate',
  summary: 'end this run; the branch is kept',
});
