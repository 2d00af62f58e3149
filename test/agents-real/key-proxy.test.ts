import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openTurnKeys } from '../../src/runner/key-proxy/turn-keys.ts';
import { AGENT_CASES, type AgentCase } from './agent-cases.ts';
import { endOf, textOf } from './agent-turn.ts';
import { anthropicMessages } from './model-servers/anthropic-messages.ts';
import { prepareAgent } from './prepare-agent.ts';

const KEY = 'canary-key-of-the-model-0123456789';

/** What an agent's shell can find out: the environments that it sees, its home and its worktree. */
const SEARCH =
  'cat /proc/*/environ /proc/*/cmdline 2>/dev/null | tr "\\0" "\\n"; env; grep -rs canary-ke[y] "$HOME" . ; echo searched';

/** OpenCode's key by name: with settings of its own it has the key itself. */
function casesWithKey(): AgentCase[] {
  return AGENT_CASES.map((agentCase) => {
    if (agentCase.name !== 'opencode') return agentCase;
    const { environment } = agentCase;
    return {
      ...agentCase,
      protocol: anthropicMessages,
      environment(url, folder) {
        const { OPENCODE_CONFIG: _, ...rest } = environment(url, folder);
        return { ...rest, ANTHROPIC_API_KEY: KEY };
      },
    };
  });
}

test.each(casesWithKey())(
  'S-4: $name works with a dummy key in a box, and finds its key nowhere',
  async (agentCase) => {
    const { agent } = agentCase;
    const { start, model, env, home, worktree } = await prepareAgent(agentCase, [
      { text: 'I search.', run: SEARCH },
      { text: 'All done.' },
    ]);
    const given = Object.fromEntries(
      Object.entries(env).map(([name, value]) => [name, value.startsWith('scripted-key') ? KEY : value]),
    );
    const keys = await openTurnKeys(
      // The provider's own address is out of reach here.
      { ...agent, keyRoute: (has) => atModel(agent.keyRoute?.(has), model.url) },
      given,
    );
    try {
      expect(keys.custody).toBe('held');
      const turn = await start({ env: keys.env, modelAddress: keys.modelAddress });
      const events = await turn.finished();
      expect(endOf(events)).toMatchObject({ ok: true });
      expect(textOf(events)).toContain('All done.');
      // The whole conversation, with what its shell printed. Not compared as a text, because it is long.
      const conversation = model.requests.join();
      expect(conversation.includes('searched')).toBe(true);
      expect(conversation.includes('AUTOBUILD_GATE=')).toBe(true);
      expect(conversation.includes('canary-key')).toBe(false);
      expect(model.keys).toContain(KEY);
      expect(filesWith(home, 'canary-key')).toEqual([]);
      expect(filesWith(worktree, 'canary-key')).toEqual([]);
    } finally {
      await keys.close();
    }
  },
);

type Route = ReturnType<NonNullable<AgentCase['agent']['keyRoute']>>;

function atModel(route: Route, url: string): Route {
  if (!route || typeof route === 'string') return route;
  return { ...route, upstream: url + new URL(route.upstream).pathname.replace(/\/$/, '') };
}

function filesWith(directory: string, text: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) => {
    const path = join(directory, name);
    return statSync(path, { throwIfNoEntry: false })?.isFile() && readFileSync(path).includes(text);
  });
}
