import * as z from 'zod';
import { AGENT_NAME, AGENT_NAME_FORM } from '../../core/agent-name.ts';
import type { Setting } from '../setting.ts';

const AgentEntry = z.strictObject({ command: z.array(z.string().min(1)).min(1) });

export const agents = {
  schema: z.record(z.string().regex(AGENT_NAME), AgentEntry).default({}),
  allowed: 'a map of agent names to `{command: [PROGRAM, ARGUMENT, …]}`',
  keys: {
    '*': {
      allowed: `a name of ${AGENT_NAME_FORM}, with \`{command: [PROGRAM, ARGUMENT, …]}\``,
      keys: { command: { allowed: 'a list of at least one text: the program and its arguments' } },
    },
  },
  words: 'Agents of your own, by name. Any command that takes its prompt on standard input can be one.',
  unset: 'only the built-in agents',
  example: { 'my-agent': { command: ['my-agent', '--non-interactive'] } },
} satisfies Setting;
