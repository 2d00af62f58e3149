import { execFile } from 'node:child_process';
import * as z from 'zod';

const TIMEOUT_MS = 20_000;
const MAX_BYTES = 4 * 1024 * 1024;
const ISSUE = /^https?:\/\/([\w.-]+(?::\d+)?)\/([\w.-]+)\/([\w.-]+)\/(issues|pull)\/(\d{1,10})(?:[/?#].*)?$/;

const Issue = z.object({
  title: z.string(),
  body: z.string().nullish(),
  pull_request: z.unknown().optional(),
});

interface IssueText {
  title: string;
  body: string;
  number: number;
}

type ReadIssue = { ok: true; issue: IssueText } | { ok: false; problem: string };

export function isIssueAddress(text: string): boolean {
  return /^https?:\/\//.test(text);
}

/**
 * Reads an issue by its address: with `gh` if it is installed and logged in, else with a token of the environment, else
 * without one, which is enough for a public repository.
 */
export async function readIssue(address: string, env: Record<string, string>): Promise<ReadIssue> {
  const [, host = '', owner = '', repo = '', kind, number = ''] = ISSUE.exec(address) ?? [];
  if (!host)
    return refuse('it is not the address of an issue, such as https://github.com/octo/shop/issues/12');
  if (kind === 'pull') return refuse('it is a pull request; give the address of an issue');
  const path = `repos/${owner}/${repo}/issues/${number}`;
  const byGh = await askGh(host, path, env);
  const found = byGh === undefined ? await askApi(host, path, env) : { ok: true as const, text: byGh };
  if (!found.ok) return refuse(found.problem);
  const issue = Issue.safeParse(parseJson(found.text));
  if (!issue.success) return refuse(`${host} returned something that is not an issue`);
  if (issue.data.pull_request) return refuse('it is a pull request; give the address of an issue');
  const { title, body } = issue.data;
  return { ok: true, issue: { title, body: body ?? '', number: Number(number) } };
}

function askGh(host: string, path: string, env: Record<string, string>): Promise<string | undefined> {
  const options = { env, timeout: TIMEOUT_MS, maxBuffer: MAX_BYTES, encoding: 'utf8' as const };
  return new Promise((resolve) => {
    execFile('gh', ['api', '--hostname', host, path], options, (error, stdout) =>
      resolve(error ? undefined : stdout),
    );
  });
}

type Answer = { ok: true; text: string } | { ok: false; problem: string };

async function askApi(host: string, path: string, env: Record<string, string>): Promise<Answer> {
  const isPublic = host === 'github.com';
  // Each token is for one host. A token for github.com must not reach another one.
  const token = isPublic ? env.GH_TOKEN || env.GITHUB_TOKEN : env.GH_ENTERPRISE_TOKEN;
  const isLocal = /^(?:localhost|127\.0\.0\.1)(?::|$)/.test(host);
  const api = isPublic ? 'https://api.github.com' : `${isLocal ? 'http' : 'https'}://${host}/api/v3`;
  try {
    const response = await fetch(`${api}/${path}`, {
      headers: {
        accept: 'application/vnd.github+json',
        ...(token ? { authorization: `Bearer ${token}` } : {}),
      },
      signal: AbortSignal.timeout(TIMEOUT_MS),
      redirect: token ? 'error' : 'follow',
    });
    if (response.ok) return { ok: true, text: (await response.text()).slice(0, MAX_BYTES) };
    const hint = token
      ? 'the token may not read it'
      : 'a private repository needs `gh auth login` or GH_TOKEN';
    return { ok: false, problem: `${host} returned ${response.status}; ${hint}` };
  } catch (error) {
    const { message, cause } = error as Error;
    return {
      ok: false,
      problem: `${host} could not be reached: ${(cause as Error | undefined)?.message ?? message}`,
    };
  }
}

function refuse(problem: string): ReadIssue {
  return { ok: false, problem };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
