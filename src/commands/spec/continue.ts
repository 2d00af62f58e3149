import { AGENT_NAME, AGENT_NAME_FORM } from '../../core/agent-name.ts';
import type { Command } from '../../core/contracts/command.ts';
import { showWord, tidyWords } from '../reading/words.ts';
import type { CommandSpec, ParsedCommand } from './command-spec.ts';

const MAX_TURNS = 100;
const MAX_MINUTES = 600;
/** Room for every option several times. The bound is needed because parsing takes more than linear time. */
const MAX_LINE = 300;
const EXAMPLE = '/continue +5';

type Continue = Extract<Command, { name: 'continue' }>;

export const continueCommand: CommandSpec = {
  name: 'continue',
  usage: '/continue [+N] [+Nmin] [new-approach] [agent=NAME] [update]',
  summary:
    'continue: N more turns, N more minutes, a new approach, or another agent; on a ready pull request, address its open remarks, or, with update, bring its base into it',
  example: EXAMPLE,
  takes: 'words',
  parse({ line }) {
    const command: Continue = { name: 'continue', new_approach: false };
    if (line.length > MAX_LINE) return refuse('Too much text after `/continue`.', EXAMPLE);
    for (const word of splitWords(line)) {
      const problem = readWord(word, command);
      if (problem) return problem;
    }
    return { ok: true, command };
  },
};

/** `+10 min` and `new approach` become one word each, whatever separates them. */
function splitWords(line: string): string[] {
  return tidyWords(line)
    .replace(/[.,;:!…]+(?=\s|$)/gu, '')
    .replace(/(\+\S+) (m|mins?|minutes?|turns?)(?=\s|$)/giu, '$1$2')
    .replace(/\bnew approach(?=\s|$)/giu, 'new-approach')
    .replace(/\bagent= ?(["'])([^"']*)\1/giu, 'agent=$2')
    .split(' ')
    .filter((word) => word !== '');
}

function readWord(word: string, command: Continue): ParsedCommand | undefined {
  if (/^new-approach$/i.test(word)) {
    command.new_approach = true;
    return undefined;
  }
  if (/^update$/i.test(word)) {
    command.update = true;
    return undefined;
  }
  const agent = /^agent=(.*)$/i.exec(word)?.[1];
  if (agent !== undefined) return readAgent(agent, command);
  const amount = /^\+(\d+)(m|mins?|minutes?|turns?)?$/i.exec(word);
  if (amount) return readAmount(amount, command);
  return refuseWord(word);
}

function readAgent(agent: string, command: Continue): ParsedCommand | undefined {
  if (command.agent !== undefined) return refuse('`agent=` is given twice.', '/continue agent=NAME');
  if (!AGENT_NAME.test(agent))
    return refuse(`\`agent=\` needs the name of an agent: ${AGENT_NAME_FORM}.`, '/continue agent=NAME');
  command.agent = agent;
  return undefined;
}

function readAmount(
  [word, digits = '', unit = '']: RegExpExecArray,
  command: Continue,
): ParsedCommand | undefined {
  const minutes = /^m/i.test(unit);
  const max = minutes ? MAX_MINUTES : MAX_TURNS;
  const amount = Number(digits);
  const what = minutes ? 'minutes' : 'turns';
  const suggestion = minutes ? '/continue +10min' : EXAMPLE;
  if (amount < 1 || amount > max) {
    const shown = showWord(word) ?? 'That number';
    return refuse(`${shown} is out of range: 1 to ${max} more ${what} are possible.`, suggestion);
  }
  const key = minutes ? 'minutes' : 'turns';
  if (command[key] !== undefined) return refuse(`More ${what} are given twice.`, suggestion);
  command[key] = amount;
  return undefined;
}

function refuseWord(word: string): ParsedCommand {
  const shown = showWord(word) ?? 'One of the words';
  const bareNumber = /^(\d{1,3})(m|min)?$/.exec(word);
  if (bareNumber)
    return refuse(
      `Use \`+${bareNumber[1]}${bareNumber[2] ? 'min' : ''}\`.`,
      `/continue +${bareNumber[1]}${bareNumber[2] ? 'min' : ''}`,
    );
  if (word.startsWith('+'))
    return refuse(
      `${shown} is not an amount: use \`+1\` to \`+${MAX_TURNS}\` turns or \`+1min\` to \`+${MAX_MINUTES}min\`.`,
      EXAMPLE,
    );
  return refuse(
    `${shown} is not an option of \`/continue\`, which takes \`+N\`, \`+Nmin\`, \`new-approach\`, \`agent=NAME\` and \`update\`.`,
    EXAMPLE,
  );
}

function refuse(problem: string, suggestion: string): ParsedCommand {
  return { ok: false, problem, suggestion };
}
