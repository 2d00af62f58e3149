import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answer } from '../github/gap.ts';
import { tickBox } from './markdown.ts';
import { type SiteContext, type SitePage, sendSitePage } from './page.ts';
import {
  type Comment,
  type Issue,
  issuesPage,
  type Job,
  jobPage,
  jobsPage,
  type Pull,
  pullPage,
  type Remark,
  threadPage,
} from './pages.ts';

interface SiteOptions {
  owner: string;
  name: string;
  people: readonly string[];
  /** Calls the local GitHub's API as that person. */
  callAs(login: string, method: string, path: string, body?: unknown): Promise<Answer>;
  jobs(): Job[];
  appUrl?(): string | undefined;
}

type Site = (request: IncomingMessage, response: ServerResponse, path: string) => Promise<boolean>;

const COOKIE = 'sandbox_person';
const MAX_FORM = 200_000;

/** Who clicks, by a cookie that the banner's switch sets. */
export function personOf(request: IncomingMessage, people: readonly string[]): string {
  const named = new RegExp(`(?:^|;\\s*)${COOKIE}=([\\w-]+)`).exec(request.headers.cookie ?? '')?.[1];
  return people.find((login) => login === named) ?? people[0] ?? '';
}

/** The stand-in for GitHub's web pages, at the addresses that links in comments have. */
export function createSite(options: SiteOptions): Site {
  const { owner, name, people, callAs, jobs } = options;
  const repository = `/${owner}/${name}`;
  const api = `/repos/${owner}/${name}`;

  return async (request, response, path) => {
    const person = personOf(request, people);
    const context: SiteContext = { person, people, repository, appUrl: options.appUrl?.() };
    const call = async <Body>(method: string, to: string, body?: unknown): Promise<Body> => {
      const answer = await callAs(person, method, `${api}${to}`, body);
      if (answer.status < 400) return answer.body as Body;
      const { message } = (answer.body ?? {}) as { message?: string };
      throw new RefusedError(
        `GitHub would refuse this for ${person}: ${String(message ?? answer.status).replace(/\.?$/, '.')}`,
      );
    };
    const show = (page: SitePage) => sendSitePage(response, context, page);
    const go = (to: string) => void response.writeHead(303, { location: to }).end();
    if (
      path !== '/' &&
      !path.startsWith(`${repository}/`) &&
      path !== repository &&
      !path.startsWith('/_sandbox/')
    )
      return false;
    try {
      if (request.method === 'POST') {
        if (!isOwnForm(request)) throw new RefusedError('Only forms of this page are taken.');
        go(await act(path, await readForm(request), call, response));
      } else show(await look(path, call));
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      show({ title: 'Not done', status: 422, body: error.message });
    }
    return true;
  };

  type CallApi = <Body>(method: string, to: string, body?: unknown) => Promise<Body>;

  async function look(path: string, call: CallApi): Promise<SitePage> {
    const [, , , place = 'issues', number = '', id = ''] = path.split('/');
    if (place === 'issues' && number) {
      // GitHub leads from the number of a pull request to its page, and emulate has no issue of that number.
      const issue = await call<Issue>('GET', `/issues/${Number(number)}`).catch(() => undefined);
      if (!issue || issue.pull_request) return pullPage(repository, await readPull(Number(number), call));
      return threadPage(
        repository,
        issue,
        await call<Comment[]>('GET', `/issues/${Number(number)}/comments?per_page=100`),
      );
    }
    if (place === 'pull') return pullPage(repository, await readPull(Number(number), call));
    if (place === 'pulls')
      return issuesPage(repository, await call<Issue[]>('GET', '/pulls?state=all'), 'Pull requests');
    if (place === 'actions') {
      const job = id ? jobs().find((one) => String(one.id) === id) : undefined;
      return job ? jobPage(repository, job) : jobsPage(repository, jobs());
    }
    const issues = await call<Issue[]>('GET', '/issues?state=all&per_page=100');
    return issuesPage(
      repository,
      issues.filter(({ pull_request }) => !pull_request),
      'Issues',
    );
  }

  async function readPull(number: number, call: CallApi) {
    const pull = await call<Pull>('GET', `/pulls/${number}`);
    const [comments, files, reviews, remarks, checks] = await Promise.all([
      call<Comment[]>('GET', `/issues/${number}/comments?per_page=100`),
      call<{ filename: string; status: string; patch?: string }[]>(
        'GET',
        `/pulls/${number}/files?per_page=100`,
      ),
      call<{ user: { login: string }; state: string; body: string }[]>('GET', `/pulls/${number}/reviews`),
      call<Remark[]>('GET', `/pulls/${number}/comments?per_page=100`),
      call<{ check_runs: { name: string; status: string; conclusion: string | null }[] }>(
        'GET',
        `/commits/${pull.head.sha}/check-runs`,
      ).catch(() => ({ check_runs: [] })),
    ]);
    return { pull, comments, files, reviews, remarks, checks: checks.check_runs };
  }

  /** Does what a click does on GitHub, and returns the page to show next. */
  async function act(
    path: string,
    form: URLSearchParams,
    call: CallApi,
    response: ServerResponse,
  ): Promise<string> {
    const [, , , place = '', number = '', what = '', id = ''] = path.split('/');
    const body = form.get('body') ?? '';
    const box = Number(form.get('box'));
    if (path === '/_sandbox/person') {
      const login = people.find((one) => one === form.get('person')) ?? people[0] ?? '';
      response.setHeader('set-cookie', `${COOKIE}=${login}; Path=/; SameSite=Lax`);
      return `${repository}/issues`;
    }
    if (place === 'issues' && !number) {
      const made = await call<Issue>('POST', '/issues', { title: form.get('title') ?? '', body });
      return `${repository}/issues/${made.number}`;
    }
    const here = `${repository}/${place}/${number}`;
    if (place === 'issues' && what === 'labels') {
      const removed = form.get('remove');
      if (removed) await call('DELETE', `/issues/${number}/labels/${encodeURIComponent(removed)}`);
      else await call('POST', `/issues/${number}/labels`, { labels: [form.get('add') ?? ''] });
    } else if (place === 'issues' && what === 'comments' && id) {
      const comment = await call<Comment>('GET', `/issues/comments/${Number(id)}`);
      await call('PATCH', `/issues/comments/${Number(id)}`, { body: toggle(comment.body, box) });
    } else if (place === 'issues' && what === 'comments')
      await call('POST', `/issues/${number}/comments`, { body });
    else if (place === 'pull' && what === 'description') {
      const pull = await call<Pull>('GET', `/pulls/${number}`);
      await call('PATCH', `/pulls/${number}`, { body: toggle(pull.body ?? '', box) });
    } else if (place === 'pull' && what === 'fate') {
      if (form.get('fate') === 'merge') await call('PUT', `/pulls/${number}/merge`, {});
      else await call('PATCH', `/pulls/${number}`, { state: 'closed' });
    } else if (place === 'pull' && what === 'remarks') {
      const { head } = await call<Pull>('GET', `/pulls/${number}`);
      const at = { path: form.get('path') ?? '', line: Number(form.get('line')), side: 'RIGHT' };
      await call('POST', `/pulls/${number}/comments`, { body, ...at, commit_id: head.sha });
    } else if (place === 'pull' && what === 'reviews')
      await call('POST', `/pulls/${number}/reviews`, { event: form.get('event'), body });
    else throw new RefusedError('There is nothing here.');
    return here;
  }
}

class RefusedError extends Error {
  override readonly name = 'RefusedError';
}

function toggle(text: string, box: number): string {
  const ticked = tickBox(text, box, true);
  return ticked === text ? tickBox(text, box, false) : ticked;
}

/** Other pages in the same browser must not act here, also none whose host name was made to lead to this machine. */
function isOwnForm({ headers: { origin, host = '' } }: IncomingMessage): boolean {
  return origin === `http://${host}` && /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/.test(host);
}

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > MAX_FORM) throw new RefusedError('That is too long.');
  }
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
}
