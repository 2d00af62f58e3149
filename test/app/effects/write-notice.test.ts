import { afterEach, expect, test } from 'vitest';
import { type AppDesk, openAppDesk } from '../app-desk.ts';
import { endJobs } from '../end-jobs.ts';

let desk: AppDesk;
afterEach(async () => {
  if (desk) await endJobs(desk);
  await desk?.close();
});

const GOOD = 'agent: scripted\nagents:\n  scripted: { command: ["true"] }\nverify: [npm test]\n';
const CONFIG = '/repos/olivia/shop/contents/.github/autobuild.yml';

/** An issue that was labelled while the config was broken, and GitHub does not take the notice of it. */
async function refuseNotice(): Promise<number> {
  desk = await openAppDesk({ config: 'nonsense: [' });
  desk.interfere(({ method, path }) =>
    method === 'POST' && path.endsWith('/comments') ? { status: 502, body: { message: 'down' } } : undefined,
  );
  return (await desk.begin()).issue;
}

async function labelAgain(issue: number): Promise<void> {
  await desk.olivia.unlabel(issue, 'autobuild');
  await desk.settle();
  await desk.olivia.label(issue, 'autobuild');
  await desk.settle();
}

async function fixConfig(): Promise<void> {
  const { body } = await desk.github.upstream('GET', CONFIG);
  const { status } = await desk.github.upstream('PUT', CONFIG, {
    message: 'fix',
    sha: (body as { sha: string }).sha,
    content: Buffer.from(GOOD).toString('base64'),
  });
  expect(status).toBe(200);
}

/** GitHub takes comments again, and all retries are made. */
async function recover(): Promise<void> {
  desk.interfere(() => undefined);
  for (let time = 0; time < 6; time += 1) {
    desk.clock.ms += 120_000;
    await desk.settle();
  }
}

const notices = async (issue: number) =>
  (await desk.olivia.comments(issue)).filter(({ body }) => body.includes('Not started'));

test('R-2: a notice that GitHub takes late does not take the label off the run that began meanwhile', async () => {
  const issue = await refuseNotice();
  await fixConfig();
  await labelAgain(issue);
  const [run = ''] = await desk.store.runs.list(1);
  expect((await desk.state(run)).status).not.toBe('cancelled');
  await recover();
  expect((await desk.state(run)).status).not.toBe('cancelled');
  expect(await desk.olivia.labels(issue)).toContain('autobuild');
  expect(await notices(issue)).toEqual([]);
});

test('R-2: a notice that GitHub takes late leaves a label that was set again, also before its webhook is handled', async () => {
  const issue = await refuseNotice();
  desk.loseWebhooks(true);
  await labelAgain(issue);
  await recover();
  expect(await desk.olivia.labels(issue)).toContain('autobuild');
  expect(await notices(issue)).toEqual([]);
});

test('C-2: a notice that GitHub takes late is said, and its label goes, if nobody has tried again', async () => {
  const issue = await refuseNotice();
  await recover();
  expect(await notices(issue)).toHaveLength(1);
  expect(await desk.olivia.labels(issue)).not.toContain('autobuild');
});
