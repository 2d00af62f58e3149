import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AppProcess } from './app-process.ts';
import { DEMO_ISSUE, DEMO_SECRETS, demoFiles } from './demo-project.ts';
import { bundleAction } from './job-runner.ts';
import type { Person, SeenComment, SeenPullRequest } from './person.ts';
import { readFlags } from './read-flags.ts';
import { startSandbox } from './sandbox.ts';

const USAGE = `Usage: npm run demo [-- --no-server] [-- --json]

Plays label to pull request, and a change that a reviewer requests, on a local GitHub, with real jobs and a scripted agent; no account, no network.
  -- --no-server   without the App: all of it inside GitHub Actions
  -- --json        one JSON line for each thing that is shown
  -- --help        this text
`;

/** The demo takes 20 seconds. The deadline leaves room for a busy machine and ends a story that hangs. */
const DEADLINE_MS = 180_000;
const LOOK_MS = 150;

type Shown =
  | { type: 'said'; text: string }
  | { type: 'comment'; by: string; body: string }
  | { type: 'answer'; by: string; text: string }
  | { type: 'pull_request'; number: number; title: string; body: string }
  | { type: 'ended'; ok: boolean; seconds: number; jobs: number };

type Show = (shown: Shown) => void;
type Desk = 'App' | 'Actions';

/** The maintainer's answer to each question. */
const ANSWERS: {
  text: string;
  give(person: Person, issue: number, question: SeenComment): Promise<unknown>;
}[] = [
  { text: '/provide till=T-4711', give: (person, issue) => person.comment(issue, '/provide till=T-4711') },
  { text: '/approve', give: (person, issue) => person.comment(issue, '/approve') },
  {
    text: 'ticks "Try a different approach"',
    give: (person, _, question) => person.tick(question, 'new-approach'),
  },
];

/** Plays the standard story on a local GitHub: label, three questions, three answers, pull request, a requested change. */
async function playDemo(show: Show, stopped: AbortSignal, desk: Desk): Promise<boolean> {
  const begun = performance.now();
  const directory = mkdtempSync(join(tmpdir(), 'autobuild-demo-'));
  let ended = { ok: false, jobs: 0 };
  try {
    ended = await playIn(directory, show, stopped, desk);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
  show({ type: 'ended', ...ended, seconds: Math.round((performance.now() - begun) / 100) / 10 });
  return ended.ok;
}

async function playIn(
  directory: string,
  show: Show,
  stopped: AbortSignal,
  desk: Desk,
): Promise<{ ok: boolean; jobs: number }> {
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(DEADLINE_MS)]);
  const environment = { PATH: [dirname(process.execPath), process.env.PATH].join(delimiter) };
  const action = bundleAction(join(directory, 'action'));
  const files = demoFiles(process.execPath, desk);
  const secrets = desk === 'Actions' ? DEMO_SECRETS : undefined;
  const sandbox = await startSandbox({ directory, files, environment, action, secrets });
  const { github, runner } = sandbox;
  let app: AppProcess | undefined;
  try {
    if (desk === 'App') app = await sandbox.startApp();
    const maintainer = sandbox.person('olivia');
    const issue = await maintainer.openIssue(DEMO_ISSUE);
    show({
      type: 'said',
      text: `olivia opens issue #${issue}, "${DEMO_ISSUE.title}", and labels it autobuild.`,
    });
    await maintainer.label(issue, 'autobuild');
    const isIdle = () => github.workflows.runs.every(({ status }) => status === 'completed');
    const pull = await followIssue(maintainer, issue, isIdle, show, signal);
    show({ type: 'pull_request', number: pull.number, title: pull.title, body: pull.body });
    await requestChange(maintainer, pull, desk, show, signal);
    for (const { job, run, conclusion, log } of runner.finished)
      if (conclusion !== 'success')
        process.stderr.write(`Job ${job} of Actions run ${run} was started again: ${conclusion}.\n${log}\n`);
    return { ok: true, jobs: runner.finished.length };
  } catch (error) {
    const why = signal.aborted ? `the story did not end within ${DEADLINE_MS / 1000} s` : String(error);
    const logs = runner.finished.map(({ log }) => log).join('\n');
    show({
      type: 'said',
      text: `It failed: ${why}\n\nThe App said:\n${app?.log() ?? 'there is none'}\n\nThe jobs said:\n${logs}`,
    });
    return { ok: false, jobs: runner.finished.length };
  } finally {
    await sandbox.close();
  }
}

/** Shows each comment when it appears and answers each question once, until the receipt is posted. */
async function followIssue(
  person: Person,
  issue: number,
  isIdle: () => boolean,
  show: Show,
  signal: AbortSignal,
): Promise<SeenPullRequest> {
  const shown = new Set<number>();
  const answered = new Set<number>();
  for (;;) {
    signal.throwIfAborted();
    const comments = await person.comments(issue);
    for (const comment of comments) {
      if (!shown.has(comment.id) && comment.user.login !== person.login)
        show({ type: 'comment', by: comment.user.login, body: comment.body });
      shown.add(comment.id);
    }
    const question = comments.find(({ id, body }) => !answered.has(id) && isOpenQuestion(body));
    if (question && isIdle()) {
      const answer = ANSWERS[answered.size];
      if (!answer) throw new Error(`Nobody expected this question:\n${question.body}`);
      answered.add(question.id);
      show({ type: 'said', text: '  (The job has ended: waiting costs no runner minute.)' });
      show({ type: 'answer', by: person.login, text: answer.text });
      await answer.give(person, issue, question);
    }
    if (comments.some(({ body }) => body.startsWith('<!-- autobuild:receipt '))) {
      const ready = (await person.pullRequests()).find((pull) => !pull.draft);
      if (ready && answered.size === ANSWERS.length) return ready;
      throw new Error(`The run ended after ${answered.size} of ${ANSWERS.length} questions.`);
    }
    await sleep(LOOK_MS, undefined, { signal });
  }
}

const WISH = 'Fourteen of what? Give the number a name, please.';

/** The maintainer requests a change on a line, and the next round of the same run answers it. */
async function requestChange(
  person: Person,
  { number, head }: SeenPullRequest,
  desk: Desk,
  show: Show,
  signal: AbortSignal,
): Promise<void> {
  const text = (await person.file('receipt.js', head.ref)) ?? '';
  const line = text.split('\n').findIndex((one) => one.includes('14')) + 1;
  show({ type: 'said', text: `olivia requests a change on line ${line} of receipt.js: ${WISH}` });
  await person.review(number, 'REQUEST_CHANGES', '', [{ path: 'receipt.js', line, body: WISH }]);
  // A review alone starts the round a minute later where a server is there to wait for more of them.
  if (desk === 'App') await person.comment(number, '/continue');
  for (;;) {
    signal.throwIfAborted();
    const answer = (await person.reviews(number)).find(({ user }) => user.login !== person.login);
    if (answer) {
      const replies = (await person.remarks(number)).filter(({ user }) => user.login !== person.login);
      for (const { user, body } of [...replies, answer]) show({ type: 'comment', by: user.login, body });
      return;
    }
    await sleep(LOOK_MS, undefined, { signal });
  }
}

function isOpenQuestion(body: string): boolean {
  return body.startsWith('<!-- autobuild:escalation ') && body.includes('\n### ⏸ Waiting for you');
}

function renderText(shown: Shown): string {
  switch (shown.type) {
    case 'said':
      return shown.text;
    case 'comment':
      return `┌─ ${shown.by} comments\n${frame(withoutMarkers(shown.body))}\n└─`;
    case 'answer':
      return `  ▶ ${shown.by}: ${shown.text}`;
    case 'pull_request':
      return `┌─ pull request #${shown.number}: ${shown.title}\n${frame(withoutMarkers(shown.body))}\n└─`;
    case 'ended':
      return shown.ok
        ? `✓ From label to a reviewed pull request in ${shown.seconds} s, with ${shown.jobs} jobs, each a process of its own.`
        : `✗ It did not work, after ${shown.seconds} s.`;
  }
}

/** The comment as people see it. */
function withoutMarkers(body: string): string {
  return body.replaceAll(/<!--.*?-->\s?/g, '');
}

function frame(text: string): string {
  return text
    .trim()
    .split('\n')
    .map((line) => `│ ${line}`.trimEnd())
    .join('\n');
}

const flags = readFlags(USAGE, ['json', 'no-server']);
if (flags) {
  const stopped = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopped.abort());
  const show: Show = (shown) =>
    void process.stdout.write(flags.json ? `${JSON.stringify(shown)}\n` : `${renderText(shown)}\n\n`);
  process.exitCode = (await playDemo(show, stopped.signal, flags['no-server'] ? 'Actions' : 'App')) ? 0 : 1;
}
