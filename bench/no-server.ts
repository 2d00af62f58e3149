import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { DEMO_ISSUE, DEMO_SECRETS, demoFiles } from '../src/sandbox/demo-project.ts';
import { bundleAction } from '../src/sandbox/job-runner.ts';
import { startSandbox } from '../src/sandbox/sandbox.ts';
import { partsHere } from '../test/e2e-github/run-part-here.ts';
import { until } from '../test/e2e-github/until.ts';
import type { Figure } from './figure.ts';
import { withScratchDirectory } from './scratch-directory.ts';
import { median, round } from './statistics.ts';

const ROUNDS = 7;
const ANSWERS = ['/provide till=T-4711', '/approve', '/continue new-approach'];

/** GitHub allows the token of a workflow 1,000 calls per hour and repository. */
export const noServerCalls: Figure = {
  id: 'no-server-calls',
  title:
    'calls to GitHub for the standard story without a server: label, three answers, verified pull request',
  bar: 150,
  unit: 'calls',
  better: 'lower',
  measure: () => withScratchDirectory(measureCalls),
};

export const noServerStart: Figure = {
  id: 'no-server-start',
  title: 'CPU time of a desk without a server for a comment without a command, bundled',
  bar: 0.3,
  unit: 's',
  better: 'lower',
  measure: () => withScratchDirectory(measureStart),
};

async function measureCalls(directory: string) {
  const calls = { desk: 0, build: 0, deliver: 0 };
  const sandbox = await startSandbox({
    directory,
    files: demoFiles(process.execPath, 'Actions'),
    secrets: DEMO_SECRETS,
    environment: { PATH: [dirname(process.execPath), process.env.PATH].join(delimiter) },
    inProcess: partsHere(),
    onExchange({ call: { caller } }) {
      const part = 'job' in caller ? caller.job : undefined;
      if (part === 'desk' || part === 'build' || part === 'deliver') calls[part] += 1;
    },
  });
  try {
    const olivia = sandbox.person('olivia');
    const { runs } = sandbox.github.workflows;
    const issue = await olivia.openIssue(DEMO_ISSUE);
    const isIdle = () => runs.length > 0 && runs.every(({ status }) => status === 'completed');
    await olivia.label(issue, 'autobuild');
    for (const [index, answer] of ANSWERS.entries()) {
      await until('a question', async () => {
        const asked = (await olivia.comments(issue)).filter(({ body }) => body.includes(':escalation '));
        return asked.length > index && isIdle();
      });
      await olivia.comment(issue, answer);
    }
    await until(
      'the end',
      async () => (await olivia.comments(issue)).some(({ body }) => body.includes(':receipt ')) && isIdle(),
    );
  } finally {
    await sandbox.close();
  }
  return { value: calls.desk + calls.build + calls.deliver, detail: calls };
}

async function measureStart(directory: string) {
  const { main } = bundleAction(join(directory, 'dist'));
  const payload = {
    action: 'created',
    sender: { login: 'rosa', type: 'User' },
    issue: { number: 7 },
    comment: { id: 1, body: 'Nice weather' },
  };
  writeFileSync(join(directory, 'event.json'), JSON.stringify(payload));
  mkdirSync(join(directory, 'temp'));
  const env = {
    PATH: process.env.PATH,
    INPUT_PART: 'desk',
    GITHUB_REPOSITORY: 'rosa/shop',
    GITHUB_REPOSITORY_ID: '77',
    GITHUB_RUN_ID: '900',
    GITHUB_WORKFLOW_REF: 'rosa/shop/.github/workflows/autobuild.yml@refs/heads/main',
    GITHUB_EVENT_NAME: 'issue_comment',
    GITHUB_EVENT_PATH: join(directory, 'event.json'),
    GITHUB_OUTPUT: join(directory, 'output'),
    GITHUB_SERVER_URL: 'http://127.0.0.1:9',
    GITHUB_API_URL: 'http://127.0.0.1:9',
    GITHUB_TOKEN: 'a token',
    RUNNER_TEMP: join(directory, 'temp'),
    AUTOBUILD_MODEL_KEY: 'a model key',
  };
  const times = Array.from({ length: ROUNDS }, () => cpuSeconds([process.execPath, main], env));
  return { value: round(median(times), 2), detail: { rounds: ROUNDS, least: round(Math.min(...times), 2) } };
}

/** User and system time of a process, as the shell that started it counts them. */
function cpuSeconds(argv: string[], env: NodeJS.ProcessEnv): number {
  const script = '"$@" > /dev/null && times';
  const { status, stdout } = spawnSync('sh', ['-c', script, 'sh', ...argv], { env, encoding: 'utf8' });
  if (status !== 0) throw new Error('The desk failed.');
  const words = (stdout.trim().split('\n')[1] ?? '').split(' ');
  return words.reduce((sum, word) => {
    const [minutes = '', seconds = ''] = word.split('m');
    return sum + Number(minutes) * 60 + Number.parseFloat(seconds);
  }, 0);
}
