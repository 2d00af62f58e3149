import { afterEach, beforeEach, expect, test } from 'vitest';
import { refuse } from '../../../src/sandbox/github/gap.ts';
import { startRun } from '../../core/run-builder.ts';
import { type AppDesk, openAppDesk } from '../app-desk.ts';

const AT = '2026-11-16T10:00:00Z';

let desk: AppDesk;
let issue: number;
beforeEach(async () => {
  desk = await openAppDesk();
  const run = startRun({ startMs: Date.now() - 3_600_000 })
    .beginTurn()
    .askForHelp([{ key: 'mail_api_key', label: 'Key of the mail sandbox', secret: true }]);
  ({ issue } = await desk.seed(run.park()));
});
afterEach(() => desk.close());

/** What GitHub says when it is asked for a secret. */
function secrets(there: string[] | 'hidden'): void {
  desk.interfere(({ path }) => {
    const name = /\/actions\/secrets\/([^/]+)$/.exec(path)?.[1];
    if (!name) return undefined;
    if (there === 'hidden') return refuse(403, 'Resource not accessible by integration');
    if (!there.includes(name)) return refuse(404, 'Not Found');
    return { status: 200, body: { name, created_at: AT, updated_at: AT } };
  });
}

const ours = async (kind: string) =>
  (await desk.olivia.comments(issue))
    .map((comment) => comment)
    .filter(({ body }) => body.includes(`:${kind} `));
const lastReply = async () => (await ours('reply')).at(-1)?.body ?? '';

test('P-9: the question names the secret; its box, ticked, goes on when the secret is there', async () => {
  const [question] = await ours('escalation');
  expect(question?.body).toContain('Save it as the Actions secret `MAIL_API_KEY`');
  secrets(['MAIL_API_KEY']);
  if (question) await desk.olivia.tick(question, 'continue');
  await desk.settle();
  const state = await desk.state();
  expect(state.status).toBe('building');
  expect(state.escalations[0]?.resolution?.inputs.mail_api_key).toMatchObject({
    actions_secret: 'MAIL_API_KEY',
  });
  expect(await lastReply()).toContain('Got it: `MAIL_API_KEY` from Actions secrets.');
  expect(desk.github.workflows.runs).toHaveLength(1);
});

test('P-9: it is not there: refused by its name, the box empty again', async () => {
  secrets(['OTHER']);
  const [question] = await ours('escalation');
  if (question) await desk.olivia.tick(question, 'continue');
  await desk.settle();
  expect((await desk.state()).status).toBe('waiting_for_input');
  expect(await lastReply()).toContain('there is no Actions secret `MAIL_API_KEY`');
  expect((await ours('escalation'))[0]?.body).not.toContain('- [x]');
});

test('P-9: the App may not look: taken on the word of the person, and that is said', async () => {
  secrets('hidden');
  await desk.olivia.comment(issue, '/continue');
  await desk.settle();
  expect((await desk.state()).status).toBe('building');
  expect(await lastReply()).toContain('the App lacks `secrets: read`');
});

test('P-9: nobody is asked for a secret by any other command', async () => {
  secrets(['MAIL_API_KEY']);
  await desk.olivia.comment(issue, '/retry');
  await desk.settle();
  expect((await desk.state()).status).toBe('waiting_for_input');
  expect(desk.exchanges.some(({ call }) => call.path.includes('/actions/secrets/'))).toBe(false);
});
