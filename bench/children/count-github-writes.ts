import { readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, Call } from '../../src/sandbox/github/gap.ts';
import { bundleAction } from '../../src/sandbox/job-runner.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { childArgv } from '../bench-agent.ts';

/** Plays the standard story in a sandbox below the given directory and prints the kind of each write, in order, as JSON. */
const DEADLINE_MS = 180_000;
const LOOK_MS = 100;
/** Without a write for this long, everything is written, also the progress that was put off for a while. */
const QUIET_MS = 18_000;

async function countWrites(directory: string): Promise<string[]> {
  const writes: string[] = [];
  let last = performance.now();
  const sandbox = await startSandbox({
    directory,
    files: repositoryFiles(),
    environment: { PATH: [dirname(process.execPath), process.env.PATH].join(delimiter) },
    action: bundleAction(join(directory, 'action')),
    onExchange({ call, answer }) {
      const kind = nameWrite(call, answer);
      if (kind === undefined) return;
      writes.push(kind);
      last = performance.now();
    },
  });
  try {
    await sandbox.startApp();
    const signal = AbortSignal.timeout(DEADLINE_MS);
    const settled = async () => {
      while (performance.now() - last < QUIET_MS) await sleep(LOOK_MS, undefined, { signal });
    };
    await playStory(sandbox, settled, signal);
    return writes;
  } finally {
    await sandbox.close();
  }
}

function repositoryFiles(): Record<string, string> {
  const template = join(import.meta.dirname, '../../templates/workflow.yml');
  return {
    'README.md': '# Door\n',
    '.github/workflows/autobuild.yml': readFileSync(template, 'utf8'),
    '.github/autobuild.yml': `agent: bench
agents:
  bench:
    command: ${JSON.stringify(childArgv('take-three-turns.ts'))}
verify: ["test -f done.txt"]
limits:
  hold_minutes: 0
`,
  };
}

/** Answers when everything about the question is written, as a person would. */
async function playStory(
  { github, person }: Sandbox,
  settled: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const olivia = person('olivia');
  const issue = await olivia.openIssue({ title: 'Paint the door', body: 'In three steps.' });
  await olivia.label(issue, 'autobuild');
  const until = async (wanted: (bodies: string[]) => boolean) => {
    for (;;) {
      const bodies = (await olivia.comments(issue)).map(({ body }) => body);
      const isIdle = github.workflows.runs.every(({ status }) => status === 'completed');
      if (isIdle && wanted(bodies)) return;
      await sleep(LOOK_MS, undefined, { signal });
    }
  };
  await until((bodies) => bodies.some((body) => body.includes('### ⏸ Waiting for you')));
  await settled();
  await olivia.comment(issue, '/provide colour=green');
  await until((bodies) => bodies.some((body) => body.startsWith('<!-- autobuild:receipt ')));
  await settled();
  const [pull] = await olivia.pullRequests();
  if (!pull || pull.draft) throw new Error('The story did not end with a pull request.');
}

const ROUTES: readonly (readonly [RegExp, string])[] = [
  [/^POST .*\/issues\/\d+\/comments$/, 'comment made'],
  [/^PATCH .*\/issues\/comments\/\d+$/, 'comment edited'],
  [/\/reactions$/, 'reaction'],
  [/^POST .*\/labels$/, 'label added'],
  [/^DELETE .*\/labels\//, 'label removed'],
  [/\/dispatches$/, 'dispatch'],
  [/\/git\/(blobs|trees|commits)$/, 'git object'],
  [/\/git\/refs/, 'branch'],
  [/^POST .*\/pulls$/, 'pull request made'],
  [/^PATCH .*\/pulls\/\d+$/, 'pull request edited'],
  [/\/check-runs/, 'check run'],
];

/** Names a call of the App that changes something. A token for the next hour changes nothing. */
function nameWrite({ method, path, body, caller }: Call, { status }: Answer): string | undefined {
  if (caller.kind === 'person' || path.endsWith('/access_tokens')) return undefined;
  if (path.endsWith('/graphql')) return /^\s*mutation\b.*?(\w+)\(input/s.exec(String(body.query))?.[1];
  if (method === 'GET') return undefined;
  const named = ROUTES.find(([route]) => route.test(`${method} ${path}`))?.[1] ?? `${method} ${path}`;
  const about = /^<!-- autobuild:(?!pull\b)(\w+)/.exec(String(body.body ?? ''))?.[1];
  return `${named}${about ? `, ${about}` : ''}${status >= 400 ? `, answered ${status}` : ''}`;
}

const [directory = ''] = process.argv.slice(2);
process.stdout.write(`${JSON.stringify(await countWrites(directory))}\n`);
