import { bareCommand } from './bare-command.ts';

export const cancelCommand = bareCommand({ name: 'cancel', summary: 'stop here; the branch is kept' });
