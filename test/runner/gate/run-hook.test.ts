import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Agent } from '../../../src/agents/agent.ts';
import { commandAgent } from '../../../src/agents/command.ts';
import { AGENTS } from '../../../src/agents/registry.ts';
import type { GateAnswer, GateAsk } from '../../../src/core/contracts/gate.ts';
import { openGate } from '../../../src/runner/gate/gate.ts';
import { runHook } from '../../../src/runner/gate/run-hook.ts';
import { makeTemporaryDirectory } from '../temporary-worktree.ts';

const PATCH = '*** Begin Patch\n*** Add File: a.txt\n+a\n*** End Patch';
/** What each agent tells its hook before it edits, by recordings. */
const EDITS: Record<string, unknown> = {
  claude: { tool_name: 'Write', tool_input: { file_path: 'a.txt', content: 'a' } },
  codex: { tool_name: 'apply_patch', tool_input: { command: PATCH } },
  gemini: { tool_name: 'write_file', tool_input: { file_path: 'a.txt' } },
  opencode: { tool: 'write', args: { filePath: 'a.txt' } },
  copilot: { toolName: 'apply_patch', toolArgs: PATCH },
};
const agents = Object.keys(EDITS).map((name) => AGENTS[name] as Agent);

async function gate(decide: (ask: GateAsk) => Promise<GateAnswer>) {
  const asks: GateAsk[] = [];
  const opened = await openGate({
    socketPath: join(makeTemporaryDirectory(), 'gate'),
    decide(ask) {
      asks.push(ask);
      return decide(ask);
    },
  });
  onTestFinished(() => opened.close());
  return { socket: opened.socketPath, asks };
}

/** Whatever the agent takes for a no: a word, or an exit code other than 0. */
function isRefusal({ stdout, exitCode }: Awaited<ReturnType<typeof runHook>>): boolean {
  const said = stdout ? (JSON.parse(stdout) as { decision?: string; permissionDecision?: string }) : {};
  return exitCode === 2 || (said.decision ?? said.permissionDecision) === 'deny';
}

test.each(agents)('E-5: the hook of $name passes the ask on, and the answer back', async (agent) => {
  const allowing = await gate(async () => ({ decision: 'allow', reason: 'within the limits' }));
  const allowed = await runHook(agent, JSON.stringify(EDITS[agent.name]), allowing.socket);
  expect(isRefusal(allowed)).toBe(false);
  expect(allowed.exitCode).toBe(0);
  expect(allowing.asks.map(({ path, paths }) => path ?? paths?.[0])).toEqual(['a.txt']);

  const denying = await gate(async () => ({ decision: 'deny', reason: 'one file too many' }));
  const denied = await runHook(agent, JSON.stringify(EDITS[agent.name]), denying.socket);
  expect(isRefusal(denied)).toBe(true);
  expect(denied.stdout + denied.stderr).toContain('one file too many');
});

test.each(agents)('E-5: the hook of $name refuses whatever it cannot be sure of', async (agent) => {
  const edit = JSON.stringify(EDITS[agent.name]);
  const { socket, asks } = await gate(async () => ({ decision: 'allow', reason: 'yes' }));
  const unclear: [input: string, socket: string | undefined][] = [
    [edit, undefined],
    [edit, ''],
    [edit, join(makeTemporaryDirectory(), 'nobody-listens')],
    ['', socket],
    ['{"tool_name": "Wri', socket],
    ['null', socket],
    ['[]', socket],
    ['{}', socket],
  ];
  for (const [input, place] of unclear)
    expect(isRefusal(await runHook(agent, input, place)), input).toBe(true);
  expect(asks).toEqual([]);
});

test('E-5: a gate that goes away before it has answered is a no', async () => {
  const { promise, resolve: asked } = Promise.withResolvers<void>();
  const opened = await openGate({
    socketPath: join(makeTemporaryDirectory(), 'gate'),
    decide() {
      asked();
      return new Promise(() => undefined);
    },
  });
  const answer = runHook(AGENTS.claude as Agent, JSON.stringify(EDITS.claude), opened.socketPath);
  await promise;
  await opened.close('the turn is over');
  expect(await answer).toEqual({ stdout: '', stderr: 'the turn is over\n', exitCode: 2 });
});

test('S-7: an edit that is too long for the gate is asked about by its path, without its content', async () => {
  const { socket, asks } = await gate(async () => ({ decision: 'allow', reason: 'yes' }));
  for (const length of [1_000, 1024 * 1024]) {
    const tool_input = { file_path: 'a.txt', content: 'x'.repeat(length) };
    const answer = await runHook(
      AGENTS.claude as Agent,
      JSON.stringify({ tool_name: 'Write', tool_input }),
      socket,
    );
    expect(isRefusal(answer)).toBe(false);
  }
  expect(asks).toMatchObject([{ path: 'a.txt', edit: { content: 'x'.repeat(1_000) } }, { path: 'a.txt' }]);
  expect(asks[1]?.edit).toBeUndefined();
});

test('an agent without a hook of its own is refused', async () => {
  const { socket } = await gate(async () => ({ decision: 'allow', reason: 'yes' }));
  const answer = await runHook(commandAgent('mine', ['x']), '{}', socket);
  expect(answer).toEqual({ stdout: '', stderr: 'mine has no hook\n', exitCode: 2 });
});
