import { showCommand } from '../../../core/contracts/command.ts';
import type { Escalation, Response } from '../../../core/contracts/escalation.ts';
import type { RunState } from '../../../core/contracts/run-state.ts';
import { code, inlineText } from '../../text/harmless.ts';
import { clock, list } from '../../text/words.ts';

const VIA: Record<Response['via'], string> = {
  comment: 'by comment',
  tick: 'by ticked box',
  form: 'by one-time form',
  terminal: 'in the terminal',
  answer_flag: 'by `--answer`',
  github: 'on GitHub',
  autobuild: 'by Autobuild',
};

/** `gave \`key\` by one-time form`. Values are never shown. */
function describeResponse({ command, via }: Response): string {
  if (command.name === 'provide') {
    const keys = list(Object.keys(command.inputs).map((key) => code(key, 64)));
    return `gave ${keys} ${VIA[via]}`;
  }
  return `${code(showCommand(command), 300)} ${VIA[via]}`;
}

/** One row per answer: time, person, answer. */
export function answerRows(escalation: Escalation): string[][] {
  return escalation.responses.map((response) => [
    clock(response.timestamp),
    inlineText(response.by, 60),
    describeResponse(response),
  ]);
}

export const ANSWER_HEAD = ['When (UTC)', 'Who', 'What'];

export function allAnswerRows(state: RunState): string[][] {
  return state.escalations.flatMap(answerRows);
}
