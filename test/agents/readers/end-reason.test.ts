import { expect, test } from 'vitest';
import type { AgentEnd } from '../../../src/agents/agent.ts';
import { AGENTS } from '../../../src/agents/registry.ts';
import { readLines } from '../recorded-stream.ts';

/** The line in which each CLI tells that its model's provider failed. */
const FAILURES: Record<string, (message: string) => object[]> = {
  claude: (message) => [{ type: 'result', subtype: 'success', is_error: true, result: message }],
  codex: (message) => [{ type: 'turn.failed', error: { message } }],
  gemini: (message) => [
    { type: 'result', status: 'error', error: { type: 'unknown', message: `[API Error: ${message}]` } },
  ],
  opencode: (message) => [{ type: 'error', sessionID: 's', error: { name: 'APIError', data: { message } } }],
  copilot: (message) => [
    { type: 'session.error', data: { errorType: 'query', message } },
    { type: 'result', sessionId: 's', exitCode: 1 },
  ],
};

function readEnd(name: string, lines: object[], exit?: AgentEnd) {
  const agent = AGENTS[name];
  if (!agent) throw new Error(`there is no agent ${name}`);
  const texts = lines.map((line) => JSON.stringify(line));
  return readLines(agent.createReader(), texts, exit).at(-1);
}

const endOf = (name: string, message: string) => readEnd(name, FAILURES[name]?.(message) ?? []);
const exitOf = (name: string, exit: AgentEnd) => readEnd(name, [], exit);

const QUOTA = 'You exceeded your current quota, please check your plan and billing details.';
const nested = JSON.stringify({
  error: {
    code: 429,
    message: JSON.stringify({ error: { code: 429, message: `${QUOTA} Please retry in 8s.` } }),
  },
});

test.each([
  ['gemini', `${QUOTA} Please retry in 34.5s.`, 34.5],
  ['gemini', nested, 8],
  ['opencode', `{"error":{"code":429,"message":"${QUOTA} Please retry in 8s."}}`, 8],
  ['copilot', 'Rate limit reached for gpt-5 in organization o: Please try again in 120ms.', 0.12],
  ['codex', "You've hit your usage limit. Try again in 5 minutes.", 300],
  ['codex', 'Usage limit reached. Try again in 1m30s', 90],
  ['codex', 'exceeded retry limit, last status: 429 Too Many Requests', undefined],
  ['claude', "API Error: 429 This request would exceed your organization's rate limit.", undefined],
])('E-7: a limit that is over in a moment is no spent quota: %s: %s', (agent, message, seconds) => {
  const told = seconds === undefined ? {} : { retry_after_s: seconds };
  expect(endOf(agent, message)).toEqual({
    type: 'ended',
    ok: false,
    reason: 'rate_limit',
    message: expect.any(String),
    ...told,
  });
});

test.each([
  ['gemini', QUOTA],
  ['gemini', 'You have exhausted your daily quota on this model.'],
  ['gemini', `${QUOTA} Quota: GenerateRequestsPerDayPerProject. Please retry in 30s.`],
  ['codex', 'Quota exceeded. Check your plan and billing details.'],
  ['codex', "You've hit your usage limit. Try again in 3 days 4 hours."],
  ['codex', "You've hit your usage limit. Try again in 2 hours."],
  ['claude', 'Credit balance is too low'],
  ['claude', 'Claude AI usage limit reached|1795000000'],
  ['opencode', `${QUOTA} Please try again later.`],
  ['copilot', '402 You have exceeded your premium request allowance.'],
])('E-7: a quota that only a person can raise: %s: %s', (agent, message) => {
  expect(endOf(agent, message)).toMatchObject({ ok: false, reason: 'quota' });
});

test.each([
  ['gemini', 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).'],
  ['gemini', 'Context window will overflow (estimated: 120, remaining: 7)'],
  [
    'gemini',
    'Sending this message (1200000 tokens) might exceed the remaining context window limit (7 tokens).',
  ],
  ['codex', "Codex ran out of room in the model's context window."],
  ['copilot', "400 This model's maximum context length is 128000 tokens. However, you requested 200000."],
  ['opencode', 'prompt is too long: 250000 tokens > 200000 maximum'],
  ['claude', 'API Error: 400 prompt is too long: 250000 tokens > 200000 maximum'],
])('K-2: a full context is known by the words of each CLI: %s: %s', (agent, message) => {
  expect(endOf(agent, message)).toMatchObject({ ok: false, reason: 'context' });
});

test.each([
  ['claude', 'Quota exceeded. Check your plan and billing details.'],
  ['claude', 'Codex ran out of room'],
  ['codex', 'Credit balance is too low'],
  ['codex', 'Session not found'],
  ['gemini', "You've hit your usage limit."],
  ['gemini', 'insufficient_quota'],
  ['opencode', 'no rollout found'],
  ['copilot', 'the test says: insufficient_quota'],
  ['claude', 'the file says "Invalid API key"'],
])('S-1: words of another CLI, or not at the beginning, name no reason: %s: %s', (agent, message) => {
  expect(endOf(agent, message)).toMatchObject({ ok: false, reason: 'api_error' });
});

test.each([
  ['copilot', "error: unexpected argument '--nonsense-flag' found\n\nUsage: copilot [OPTIONS] [COMMAND]"],
  ['claude', "error: unknown option '--nonsense-flag'"],
  [
    'codex',
    "WARNING: no PATH aliases\nerror: unexpected argument '--nonsense-flag' found\n\nUsage: codex exec",
  ],
  ['gemini', 'Unknown arguments: nonsense-flag, nonsenseFlag\nUsage: gemini [options] [command]'],
])('E-7: a CLI that does not know an option is not usable: %s: %s', (agent, stderr) => {
  expect(exitOf(agent, { code: 1, signal: null, stderr })).toMatchObject({ reason: 'unusable' });
  // A tool's words, or a provider's, say nothing of the CLI.
  const toolsRan = { code: 1, signal: null, stderr, toolsRan: true };
  expect(exitOf(agent, toolsRan)).toMatchObject({ reason: 'failed' });
  expect(endOf(agent, stderr)).toMatchObject({ reason: 'api_error' });
});
