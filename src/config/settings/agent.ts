import * as z from 'zod';
import { AGENT_NAME, AGENT_NAME_FORM } from '../../core/agent-name.ts';
import type { Setting } from '../setting.ts';

export const agent = {
  schema: z.string().regex(AGENT_NAME).optional(),
  allowed: `the name of an agent: ${AGENT_NAME_FORM}`,
  words: 'The agent: claude, codex, gemini, opencode, copilot, or one that is named under `agents`.',
  unset:
    'the first one under `agents`; without any, `claude` on GitHub, and a terminal asks for `--agent` or a command',
  example: 'claude',
  decided: true,
} satisfies Setting;
