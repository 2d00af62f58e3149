import type { Edit } from './gap.ts';
import {
  type Answer,
  type Call,
  type Caller,
  describeAccount,
  type Gap,
  type Json,
  matchPath,
  refuse,
  type Upstream,
} from './gap.ts';

interface Pull extends Json {
  number: number;
  node_id: string;
  state: string;
  title: string;
  body: string | null;
  updated_at: string;
  head: Json & { ref: string; sha: string };
}

interface PullRequestGap extends Gap {
  lastEdit(nodeId: string): Edit | undefined;
  /** Notes who closed or merged one. */
  noteClosing(call: Call): Promise<void>;
  /** The events that a push to a branch causes. emulate sends none, and the App has no use for them. */
  synchronized(branch: string, before: string, caller: Caller): Promise<Json[]>;
}

/**
 * A pull request follows its branch, is the only one of its branch, and is marked as one in its issue. Its edits say
 * what changed and its events who closed it.
 */
export function createPullRequests(repository: string, upstream: Upstream): PullRequestGap {
  const numbers = new Set<number>();
  const edits = new Map<string, Edit>();
  /** The `changes` of an edit's webhook, by number and new content. */
  const changes = new Map<string, Json>();
  const editKey = (number: number, { title, body }: { title?: unknown; body?: unknown }) =>
    JSON.stringify([number, title, body]);
  /** The time of the last write, by number. */
  const touched = new Map<number, string>();
  /** Closing events by number, oldest first. */
  const closings = new Map<number, Json[]>();

  async function noteClosing({ method, path, body, caller }: Call): Promise<void> {
    const merged = method === 'PUT' && matchPath('/repos/:owner/:repo/pulls/:number/merge', path);
    const closed =
      method === 'PATCH' && body.state === 'closed' && matchPath('/repos/:owner/:repo/pulls/:number', path);
    const at = merged || closed;
    if (!at || caller.kind === 'app') return;
    const [number, id] = [Number(at.number), 7_000_000 + [...closings.values()].flat().length];
    const event = {
      ...{ id, node_id: `CE_${id}`, url: `https://api.github.com${repository}/issues/events/${id}` },
      ...{ actor: await describeAccount(upstream, caller.login), event: 'closed' },
      ...{ commit_id: null, commit_url: null, created_at: new Date().toISOString() },
      performed_via_github_app: null,
    };
    closings.set(number, [...(closings.get(number) ?? []), event]);
  }

  /** emulate returns the closing events of issues only. */
  function addClosings({ path }: Call, answer: Answer): Answer {
    const asked = matchPath('/repos/:owner/:repo/issues/:number/events', path);
    const added = asked && closings.get(Number(asked.number));
    if (!added) return answer;
    const others = answer.status === 200 ? (answer.body as Json[]) : [];
    return { ...answer, status: 200, body: [...others, ...added] };
  }

  async function noteEdit(number: number, body: Json, caller: Caller): Promise<void> {
    const present = (await upstream('GET', `${repository}/pulls/${number}`)).body as Pull | undefined;
    if (!present || caller.kind === 'app') return;
    const changed = (['title', 'body'] as const).filter(
      (field) => typeof body[field] === 'string' && body[field] !== present[field],
    );
    const after = { ...present, ...Object.fromEntries(changed.map((field) => [field, body[field]])) };
    changes.set(
      editKey(number, after),
      Object.fromEntries(changed.map((field) => [field, { from: present[field] ?? '' }])),
    );
    if (!changed.includes('body')) return;
    const by = { login: caller.login, bot: caller.kind !== 'person' };
    edits.set(present.node_id, { at: new Date().toISOString(), by });
  }

  /** A pull request may come from a fork. */
  const headOf = ({ head }: Pull) => {
    const { full_name } = (head.repo ?? {}) as { full_name?: string };
    return full_name ? `/repos/${full_name}` : repository;
  };

  async function followBranch(pull: Pull): Promise<Pull> {
    if (pull.state !== 'open') return pull;
    const { status, body } = await upstream('GET', `${headOf(pull)}/git/ref/heads/${pull.head.ref}`);
    if (status !== 200) return pull;
    const { sha } = (body as { object: { sha: string } }).object;
    return { ...pull, head: { ...pull.head, sha } };
  }

  async function fillGaps(payload: Json): Promise<Json> {
    const pull_request = await followBranch(payload.pull_request as Pull);
    const key = editKey(pull_request.number, pull_request);
    const changed = payload.action === 'edited' && { changes: changes.get(key) ?? {} };
    const { review } = payload as { review?: Json };
    // Webhooks use lower case, the API upper case.
    const told = review
      ? { review: { ...review, state: String(review.state).toLowerCase() } }
      : { number: pull_request.number };
    return { pull_request: { active_lock_reason: null, ...pull_request }, ...changed, ...told };
  }

  const showTouch = (pull: Pull): Pull => {
    const at = touched.get(pull.number) ?? '';
    return at > pull.updated_at ? { ...pull, updated_at: at } : pull;
  };

  return {
    lastEdit: (nodeId) => edits.get(nodeId),
    noteClosing,

    async synchronized(branch, before, caller) {
      if (caller.kind === 'app') return [];
      const { body } = await upstream('GET', `${repository}/pulls?state=open&per_page=100`);
      const { body: home } = await upstream('GET', repository);
      const sender = await describeAccount(upstream, caller.login);
      const moved = (body as Pull[]).filter(
        (pull) => pull.head.ref === branch && headOf(pull) === repository,
      );
      return Promise.all(
        moved.map(async (pull) => {
          const pull_request = await followBranch(pull);
          const shas = { before, after: pull_request.head.sha };
          const { number } = pull;
          return { action: 'synchronize', number, ...shas, pull_request, repository: home, sender };
        }),
      );
    },

    async answer({ method, path, body, caller }) {
      const edited = method === 'PATCH' && matchPath('/repos/:owner/:repo/pulls/:number', path);
      if (edited) await noteEdit(Number(edited.number), body, caller);
      const talkedAbout =
        matchPath('/repos/:owner/:repo/issues/:number/comments', path) ??
        matchPath('/repos/:owner/:repo/pulls/:number/reviews', path) ??
        matchPath('/repos/:owner/:repo/pulls/:number/comments', path);
      if (talkedAbout && method === 'POST') touched.set(Number(talkedAbout.number), new Date().toISOString());
      if (method !== 'POST' || !matchPath('/repos/:owner/:repo/pulls', path)) return undefined;
      const [branch = '', login] = String(body.head).split(':').toReversed();
      const [, , owner, name] = repository.split('/');
      const from = login === undefined || login === owner ? repository : `/repos/${login}/${name}`;
      // emulate would create a missing branch from the default branch.
      const head = await upstream('GET', `${from}/git/ref/heads/${branch}`);
      if (head.status !== 200) {
        return refuse(422, 'Validation Failed', [
          { resource: 'PullRequest', field: 'head', code: 'invalid' },
        ]);
      }
      const { body: open } = await upstream('GET', `${repository}/pulls?state=open&per_page=100`);
      if (!(open as Pull[]).some((pull) => pull.head.ref === branch && headOf(pull) === from))
        return undefined;
      const message = `A pull request already exists for ${body.head}.`;
      return refuse(422, 'Validation Failed', [{ resource: 'PullRequest', code: 'custom', message }]);
    },

    async fixAnswer(call, answer) {
      const { path } = call;
      if (answer.status >= 300) return addClosings(call, answer);
      await noteClosing(call);
      const isList = matchPath('/repos/:owner/:repo/pulls', path);
      const isOne = matchPath('/repos/:owner/:repo/pulls/:number', path);
      if (!(isList || isOne)) return addClosings(call, answer);
      if (Array.isArray(answer.body))
        return { ...answer, body: (await Promise.all(answer.body.map(followBranch))).map(showTouch) };
      const pull = showTouch(await followBranch(answer.body as Pull));
      numbers.add(pull.number);
      return { ...answer, body: pull };
    },

    async fixPayload(event, payload) {
      if (event.startsWith('pull_request')) return { ...payload, ...(await fillGaps(payload)) };
      const issue = payload.issue as (Json & { number: number; html_url: string }) | undefined;
      if (event !== 'issue_comment' || !issue || !numbers.has(issue.number)) return payload;
      const html = issue.html_url.replace('/issues/', '/pull/');
      const links = { html_url: html, diff_url: `${html}.diff`, patch_url: `${html}.patch` };
      const url = String(issue.url).replace('/issues/', '/pulls/');
      return { ...payload, issue: { ...issue, pull_request: { url, ...links, merged_at: null } } };
    },
  };
}
