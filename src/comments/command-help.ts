import type { CommandName } from '../core/command.ts';

/** Each command's form and what it does, in one line: for help, in a comment and in the terminal alike. */
export const COMMAND_HELP: Record<CommandName, { form: string; does: string }> = {
  provide: { form: '/provide key=value', does: 'give the values that were asked for' },
  continue: {
    form: '/continue [+5] [+10min] [new-approach]',
    does: 'go on, with more turns or minutes if given',
  },
  guide: { form: '/guide <text>', does: 'a hint; the agent keeps its approach' },
  override: { form: '/override <text>', does: 'stop what it does, do this instead' },
  approve: {
    form: '/approve [files=30] [paths=docs/**]',
    does: 'allow the proposed file, more files, or more paths',
  },
  retry: { form: '/retry', does: 'try again with the error history in hand' },
  debug: { form: '/debug', does: 'one turn to find the root cause, nothing else changed' },
  skip: { form: '/skip', does: 'list it as a known issue, finish the rest' },
  accept: { form: '/accept', does: 'finish now with what is there, marked as partial' },
  review: { form: '/review', does: 'the full history, then the question again' },
  pause: { form: '/pause', does: 'save the work and decide later, no reminders' },
  cancel: { form: '/cancel', does: 'stop here; the branch is kept' },
  terminate: { form: '/terminate', does: 'end this run; the branch is kept' },
  status: { form: '/status', does: 'where the run stands' },
  help: { form: '/help', does: 'the commands that make sense now' },
};
