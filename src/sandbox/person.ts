import type { Answer } from './github/gap.ts';
import type { LocalGitHub } from './github.ts';

export interface SeenComment {
  id: number;
  node_id: string;
  body: string;
  user: { login: string };
  updated_at: string;
}

/** A person with a browser. Every click is one call under their own account. */
export interface Person {
  login: string;
  openIssue(issue: { title: string; body: string }): Promise<number>;
  label(issue: number, label: string): Promise<void>;
  unlabel(issue: number, label: string): Promise<void>;
  labels(issue: number): Promise<string[]>;
  closeIssue(issue: number): Promise<void>;
  comment(issue: number, body: string): Promise<SeenComment>;
  comments(issue: number): Promise<SeenComment[]>;
  edit(comment: { id: number }, body: string): Promise<void>;
  /** Ticks boxes by the end of their ids, all in one edit. */
  tick(comment: SeenComment, ...options: string[]): Promise<void>;
  pullRequest(number: number): Promise<SeenPullRequest | undefined>;
  pullRequests(): Promise<SeenPullRequest[]>;
  merge(number: number): Promise<void>;
  closePullRequest(number: number): Promise<void>;
  reopenPullRequest(number: number): Promise<void>;
  describePullRequest(number: number, body: string): Promise<void>;
  /** Ticks *Run CI* in the description as it was read. */
  tickRunCi(pull: SeenPullRequest): Promise<void>;
  review(
    number: number,
    verdict: 'APPROVE' | 'REQUEST_CHANGES' | 'COMMENT',
    body: string,
    remarks?: NewRemark[],
  ): Promise<SeenReview>;
  /** A remark on its own, or a reply to the first one of a thread. */
  remark(number: number, remark: NewRemark | { replyTo: number; body: string }): Promise<SeenRemark>;
  editRemark(remark: { id: number }, body: string): Promise<void>;
  deleteRemark(remark: { id: number }): Promise<void>;
  /** Resolves the thread of a remark, or opens it again. */
  resolveThread(thread: { id: string }, isResolved?: boolean): Promise<void>;
  dismissReview(number: number, review: { id: number }): Promise<void>;
  remarks(number: number): Promise<SeenRemark[]>;
  reviews(number: number): Promise<SeenReview[]>;
  /** The text of a file on a branch. */
  file(path: string, ref: string): Promise<string | undefined>;
}

interface SeenReview {
  id: number;
  node_id: string;
  body: string;
  state: string;
  user: { login: string };
}

/** Without a line, it is about the whole file. */
export interface NewRemark {
  path: string;
  body: string;
  line?: number;
  start_line?: number;
  side?: 'LEFT' | 'RIGHT';
}

interface SeenRemark {
  id: number;
  body: string;
  path: string;
  user: { login: string };
  in_reply_to_id?: number;
  pull_request_review_id: number;
}

export interface SeenPullRequest {
  number: number;
  title: string;
  body: string;
  draft: boolean;
  state: string;
  head: { ref: string; sha: string };
}

export function createPerson(github: LocalGitHub, login: string): Person {
  const repository = `/repos/${github.owner}/${github.name}`;
  const call = async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const answer = await github.callAs(login, method, `${repository}${path}`, body);
    if (answer.status < 400) return answer;
    throw new Error(`${login}: ${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  };
  const edit = async ({ id }: { id: number }, body: string) => {
    await call('PATCH', `/issues/comments/${id}`, { body });
  };
  const describePullRequest = async (number: number, body: string) => {
    await call('PATCH', `/pulls/${number}`, { body });
  };
  const pullRequests = async () =>
    (await call('GET', '/pulls?state=all&per_page=100')).body as SeenPullRequest[];
  return {
    login,
    edit,
    pullRequests,
    async openIssue(issue) {
      return ((await call('POST', '/issues', issue)).body as { number: number }).number;
    },
    async label(issue, label) {
      await call('POST', `/issues/${issue}/labels`, { labels: [label] });
    },
    async unlabel(issue, label) {
      await call('DELETE', `/issues/${issue}/labels/${encodeURIComponent(label)}`);
    },
    async labels(issue) {
      const { labels } = (await call('GET', `/issues/${issue}`)).body as { labels: { name: string }[] };
      return labels.map(({ name }) => name);
    },
    async closeIssue(issue) {
      await call('PATCH', `/issues/${issue}`, { state: 'closed' });
    },
    async comment(issue, body) {
      return (await call('POST', `/issues/${issue}/comments`, { body })).body as SeenComment;
    },
    async comments(issue) {
      return (await call('GET', `/issues/${issue}/comments?per_page=100`)).body as SeenComment[];
    },
    async tick(comment, ...options) {
      let { body } = comment;
      for (const option of options) {
        const ticked = tickBox(body, option);
        if (ticked === body) throw new Error(`There is no empty box ${option} in:\n${body}`);
        body = ticked;
      }
      await edit(comment, body);
    },
    async pullRequest(number) {
      return (await pullRequests()).find((pull) => pull.number === number);
    },
    async merge(number) {
      await call('PUT', `/pulls/${number}/merge`, {});
    },
    async closePullRequest(number) {
      await call('PATCH', `/pulls/${number}`, { state: 'closed' });
    },
    async reopenPullRequest(number) {
      await call('PATCH', `/pulls/${number}`, { state: 'open' });
    },
    describePullRequest,
    async tickRunCi({ number, body }) {
      const ticked = body.replace(/^- \[ \] (?=<!-- autobuild:option id=ci\.)/m, '- [x] ');
      if (ticked === body) throw new Error(`There is no box for CI in:\n${body}`);
      await describePullRequest(number, ticked);
    },
    async review(number, event, body, remarks = []) {
      const comments = remarks.map(remarkOf);
      return (await call('POST', `/pulls/${number}/reviews`, { event, body, comments })).body as SeenReview;
    },
    async remark(number, remark) {
      const path = `/pulls/${number}/comments`;
      const answer =
        'replyTo' in remark
          ? await call('POST', `${path}/${remark.replyTo}/replies`, { body: remark.body })
          : await call('POST', path, remarkOf(remark));
      return answer.body as SeenRemark;
    },
    async editRemark({ id }, body) {
      await call('PATCH', `/pulls/comments/${id}`, { body });
    },
    async deleteRemark({ id }) {
      await call('DELETE', `/pulls/comments/${id}`);
    },
    async resolveThread({ id }, isResolved = true) {
      const name = isResolved ? 'resolveReviewThread' : 'unresolveReviewThread';
      const query = `mutation ($thread: ID!) { ${name}(input: { threadId: $thread }) { thread { id } } }`;
      // GraphQL is beside the REST API.
      await github.callAs(login, 'POST', '/../graphql', { query, variables: { thread: id } });
    },
    async dismissReview(number, { id }) {
      await call('PUT', `/pulls/${number}/reviews/${id}/dismissals`, { message: 'No longer' });
    },
    async remarks(number) {
      return (await call('GET', `/pulls/${number}/comments`)).body as SeenRemark[];
    },
    async reviews(number) {
      return (await call('GET', `/pulls/${number}/reviews?per_page=100`)).body as SeenReview[];
    },
    async file(path, ref) {
      const answer = await github.callAs(login, 'GET', `${repository}/contents/${path}?ref=${ref}`);
      if (answer.status !== 200) return undefined;
      return Buffer.from((answer.body as { content: string }).content, 'base64').toString('utf8');
    },
  };
}

function remarkOf(remark: NewRemark): object {
  return remark.line === undefined ? { ...remark, subject_type: 'file' } : remark;
}

function tickBox(body: string, option: string): string {
  return body
    .split('\n')
    .map((line) => {
      const id = /^- \[ \] <!-- autobuild:option id=([\w.-]+) -->/.exec(line)?.[1];
      return id?.endsWith(`.${option}`) ? line.replace('- [ ]', '- [x]') : line;
    })
    .join('\n');
}
