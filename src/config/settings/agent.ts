import * as z from 'zod';
import { agentNames } from '../../agents/registry.ts';
import { AGENT_NAME, AGENT_NAME_FORM } from '../../core/agent-name.ts';
import type { Setting } from '../setting.ts';

export const agent = {
  schema: z.string().regex(AGENT_NAME).optional(),
  allowed: `the name of an agent: ${AGENT_NAME_FORM}`,
  words: `The agent: ${agentNames().join(', ')}, or one that is named under \`agents\`.`,
  unset:
    'on GitHub the first one under `agents`, or `claude`; at a terminal the only one under `agents`, or the one of `--agent`',
  example: 'claude',
  decided: true,
} satisfies Setting;
