import { text } from 'node:stream/consumers';
import { claude } from '../../src/agents/claude.ts';
import { codex } from '../../src/agents/codex.ts';
import { askGate } from '../../src/runner/ask-gate.ts';

/** What an agent's hook runs in these tests: `node hook.ts NAME`, the gate's socket in the environment. */
const agent = [claude, codex].find(({ name }) => name === process.argv[2]);
if (!agent?.hook) throw new Error(`no hook of an agent ${process.argv[2]}`);
const ask = agent.hook.readAsk(JSON.parse(await text(process.stdin)));
const answer =
  ask === undefined
    ? { decision: 'allow' as const, reason: 'nothing is written' }
    : typeof ask === 'string'
      ? { decision: 'deny' as const, reason: ask }
      : await askGate(process.env.AUTOBUILD_GATE ?? '', ask);
const { stdout, stderr, exitCode } = agent.hook.answer(answer);
process.stdout.write(stdout);
process.stderr.write(stderr);
process.exitCode = exitCode;
