import type { Conclusion, StartedJob } from '../../src/sandbox/actions/job.ts';
import type { Answer } from '../../src/sandbox/github/gap.ts';
import type { Role } from '../../src/sandbox/github/permissions.ts';
import { type LocalGitHub, startLocalGitHub } from '../../src/sandbox/github.ts';
import { createPerson, type Person } from '../../src/sandbox/person.ts';
import { until } from '../e2e-github/until.ts';

/** A job that the test plays itself. */
export interface PlayedJob {
  job: StartedJob;
  end(conclusion?: Conclusion, outputs?: Record<string, string>): void;
  /** A call with the job's own token. */
  call(method: string, path: string, body?: unknown): Promise<Answer>;
  graphql(query: string, variables: object): Promise<{ data?: unknown; errors?: { message: string }[] }>;
}

/** The local GitHub with workflows, and machines whose work the test does. */
export interface LocalActions {
  github: LocalGitHub;
  person(login: string): Person;
  /** Every job that got a machine, oldest first. */
  started: PlayedJob[];
  /** The newest job of that key, as soon as there are that many of it. */
  job(key: string, count?: number): Promise<PlayedJob>;
  /** As soon as that many runs have ended. */
  ended(count: number): Promise<LocalGitHub['workflows']['runs']>;
  /** As soon as that event was sent and has started what it starts. */
  told(event: string, action: string): Promise<void>;
  write(path: string, text: string, branch?: string): Promise<string>;
}

export const REPOSITORY = '/repos/olivia/shop';

export async function openLocalActions(options: {
  workflows: Record<string, string>;
  people?: Record<string, Role>;
  secrets?: Record<string, string>;
  called?: Record<string, string>;
}): Promise<LocalActions> {
  const started: PlayedJob[] = [];
  const github = await startLocalGitHub({
    owner: 'olivia',
    name: 'shop',
    people: options.people ?? { walter: 'write', rita: 'read' },
    secrets: () => options.secrets ?? {},
    calledWorkflow: (path) => options.called?.[path],
    startJob(job) {
      const { promise, resolve } = Promise.withResolvers<Conclusion>();
      let given: Record<string, string> = {};
      const send = async (to: string, method: string, body: unknown) => {
        const response = await fetch(`http://${github.host}/api${to}`, {
          method,
          headers: { authorization: `bearer ${job.token}`, 'content-type': 'application/json' },
          body: body === undefined ? undefined : JSON.stringify(body),
        });
        const text = await response.text();
        return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
      };
      started.push({
        job,
        end(conclusion = 'success', outputs = {}) {
          given = outputs;
          resolve(conclusion);
        },
        call: (method, path, body) => send(`/v3${REPOSITORY}${path}`, method, body),
        graphql: async (query, variables) => (await send('/graphql', 'POST', { query, variables })).body,
      });
      return { ended: promise, outputs: () => given, cancel: () => resolve('cancelled') };
    },
  });
  const write: LocalActions['write'] = async (path, text, branch = 'main') => {
    const at = `${REPOSITORY}/contents/${path}`;
    const before = await github.upstream('GET', `${at}?ref=${branch}`);
    const { body, status } = await github.upstream('PUT', at, {
      message: path,
      branch,
      content: Buffer.from(text).toString('base64'),
      ...(before.status === 200 && { sha: (before.body as { sha: string }).sha }),
    });
    if (status >= 300) throw new Error(JSON.stringify(body));
    return (body as { commit: { sha: string } }).commit.sha;
  };
  for (const [file, text] of Object.entries(options.workflows))
    await write(`.github/workflows/${file}`, text);
  return {
    github,
    started,
    write,
    person: (login) => createPerson(github, login),
    job: (key, count = 1) =>
      until(`job ${key}`, () => {
        const found = started.filter(({ job }) => job.job === key);
        return found.length >= count ? found.at(-1) : undefined;
      }),
    async ended(count) {
      const { runs } = github.workflows;
      const done = () => runs.filter(({ status }) => status === 'completed').length >= count;
      await until(`${count} runs ended`, done, () => JSON.stringify(runs.map(({ jobs }) => jobs)));
      return runs;
    },
    async told(event, action) {
      await until(`${event}.${action}`, () =>
        github.webhooks.deliveries.some((one) => one.event === event && one.action === action),
      );
      await github.workflows.settled();
    },
  };
}
