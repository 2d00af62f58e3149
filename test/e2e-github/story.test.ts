import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Answer, Call } from '../../src/sandbox/github/gap.ts';
import { bundleAction } from '../../src/sandbox/job-runner.ts';
import { checkPayload, type WebhookEvent } from '../fixtures/webhooks.ts';
import { checkRequest, checkResponse } from '../github/openapi-contract.ts';
import { openScene, type Scene } from './scene.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 60_000 });

let scene: Scene;
const built = mkdtempSync(join(tmpdir(), 'autobuild-bundle-'));
const exchanges: { call: Call; answer: Answer }[] = [];
beforeAll(async () => {
  const action = bundleAction(join(built, 'dist'));
  scene = await openScene({ desk: 'App', action, onExchange: (exchange) => exchanges.push(exchange) });
});
afterAll(async () => {
  await scene?.close();
  rmSync(built, { recursive: true, force: true });
});

test('C-1, C-2, C-3, C-4: label, stuck, parked, /provide, a new job, pull request: with the unmodified bundle', async () => {
  const story = await scene.begin('asks');
  await story.reached('waiting');
  const question = await story.question();
  expect(question.body).toContain('A value.');
  expect(question.body).toContain('/provide colour=');
  expect(question.body).toMatch(/- \[ \] <!-- autobuild:option id=e1\.cancel -->/);
  await story.parked();
  expect(story.runs()).toEqual([expect.objectContaining({ conclusion: 'success' })]);
  const draft = await story.pullRequest();
  expect(draft).toMatchObject({ draft: true, head: { ref: `autobuild/issue-${story.issue}` } });

  const given = await scene.olivia.comment(story.issue, 'It is\n\n/provide colour="light blue"\n');
  await story.reached('done');
  await story.comment(':receipt ', 'ready for your review');
  const pull = await story.pullRequest();
  expect(pull).toMatchObject({ number: draft.number, draft: false, title: 'Make it, asks' });
  expect(pull.body).toContain(`Closes #${story.issue}`);
  expect(await scene.olivia.file('done.txt', pull.head.ref)).toBe('light blue\n');
  expect(await scene.olivia.file('.github/autobuild.yml', pull.head.ref)).toContain('hold_minutes: 0');
  expect(scene.sandbox.github.reactions.of(given.id).map(({ content }) => content)).toEqual([
    'eyes',
    'rocket',
  ]);
  const labels = await scene.olivia.labels(story.issue);
  expect(labels.filter((label) => label.startsWith('autobuild:'))).toEqual(['autobuild:done']);

  const [first, second, verified] = story.jobs();
  expect(first?.output).toContain('parked');
  expect(second?.summary).toContain('Make it, asks');
  expect(verified?.inputs.kind).toBe('verify');
  expect(verified?.output).toContain('verified');
  // The ticket opens the run: it is in the event file and nowhere else.
  for (const job of story.jobs()) expect(job.log + job.summary + job.output).not.toContain(job.inputs.ticket);
});

test('every request of the App, every answer and every webhook is as GitHub describes it', () => {
  const asked = exchanges.filter(
    ({ call }) => call.caller.kind !== 'person' && !call.path.endsWith('/graphql'),
  );
  expect(asked.length).toBeGreaterThan(30);
  const once = new Map(asked.map((one) => [`${one.call.method} ${one.call.path} ${one.answer.status}`, one]));
  const wrong = [...once.values()].flatMap(({ call, answer }) => {
    const path = call.query.size > 0 ? `${call.path}?${call.query}` : call.path;
    const body = call.method === 'GET' ? undefined : call.body;
    return [
      ...checkRequest(call.method, path, body),
      ...checkResponse(call.method, path, answer.status, answer.body),
    ];
  });
  expect(wrong).toEqual([]);
  const sent = scene.sandbox.github.webhooks.deliveries.filter(({ event, action }) =>
    ['issues.labeled', 'issue_comment.created', 'workflow_run.completed'].includes(`${event}.${action}`),
  );
  expect(sent.length).toBeGreaterThan(4);
  for (const { event, action, payload } of sent)
    expect(checkPayload(`${event}.${action}` as WebhookEvent, payload)).toEqual([]);
});
