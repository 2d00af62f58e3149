import { isUtf8 } from 'node:buffer';
import { allows } from '../actions/token-permissions.ts';
import { type Call, type Gap, type Json, matchPath, refuse, type Upstream } from './gap.ts';

const NOTHING = '0'.repeat(40);
/** GitHub cuts off the text of a larger blob. */
const MAX_TEXT_BYTES = 512_000;

export interface RefUpdate {
  name: string;
  afterOid: string;
  beforeOid?: string | null;
  force?: boolean | null;
}

export interface RefGap extends Gap {
  /** GraphQL's `updateRefs`: all of them or none, each only from where it is said to be. */
  updateRefs(call: Call, updates: RefUpdate[]): Promise<Json>;
  /** GraphQL's `ref(qualifiedName: $name)`, under the names that the query gives them, each with the files of its tree. */
  readRefs(call: Call, query: string, variables: Json, rest: Upstream): Promise<Json>;
}

interface RefOptions {
  upstream: Upstream;
  repository: string;
  /** A branch was moved, which the webhooks of emulate do not tell to its pull requests. */
  onPush(branch: string, before: string, call: Call): Promise<void>;
}

/** Refs, in GitHub's words, also outside `refs/heads`; and the one way to move them that compares first. */
export function createRefs({ upstream, repository, onPush }: RefOptions): RefGap {
  const at = async (name: string): Promise<string | undefined> => {
    const { status, body } = await upstream('GET', `${repository}/git/ref/${name.replace(/^refs\//, '')}`);
    return status === 200 ? (body as { object: { sha: string } }).object.sha : undefined;
  };
  /** One at a time, or two could both find what they expect. */
  let queue: Promise<unknown> = Promise.resolve();

  async function check({ name, afterOid, beforeOid, force }: RefUpdate): Promise<void> {
    const fail = (why: string) => {
      throw new Error(`Reference ${name} ${why}`);
    };
    if (!/^refs\/[^/]+\/./.test(name)) fail('is not a valid ref name');
    const present = await at(name);
    if (beforeOid && beforeOid !== (present ?? NOTHING))
      fail(`cannot be updated: expected ${beforeOid}, but it is at ${present ?? NOTHING}`);
    if (afterOid === NOTHING) return present ? undefined : fail('does not exist');
    const commit = await upstream('GET', `${repository}/git/commits/${afterOid}`);
    if (commit.status !== 200) fail(`cannot point to ${afterOid}, which is no object of the repository`);
    if (present && !force && !(await descends(afterOid, present)))
      fail('cannot be updated: it is not a fast-forward');
  }

  async function descends(sha: string, from: string): Promise<boolean> {
    const waiting = [sha];
    for (const one of waiting) {
      if (one === from) return true;
      const { body } = await upstream('GET', `${repository}/git/commits/${one}`);
      for (const parent of (body as { parents?: { sha: string }[] }).parents ?? [])
        if (!waiting.includes(parent.sha)) waiting.push(parent.sha);
    }
    return false;
  }

  async function write({ name, afterOid }: RefUpdate, call: Call): Promise<void> {
    const short = name.replace(/^refs\//, '');
    const before = await at(name);
    if (afterOid === NOTHING) await upstream('DELETE', `${repository}/git/refs/${short}`);
    else if (before === undefined)
      await upstream('POST', `${repository}/git/refs`, { ref: name, sha: afterOid });
    else await upstream('PATCH', `${repository}/git/refs/${short}`, { sha: afterOid, force: true });
    if (before && name.startsWith('refs/heads/'))
      await onPush(name.slice('refs/heads/'.length), before, call);
  }

  async function readTip(name: string): Promise<Json | null> {
    const oid = await at(name);
    if (oid === undefined) return null;
    const { body: commit } = await upstream('GET', `${repository}/git/commits/${oid}`);
    const { message, tree } = commit as { message: string; tree: { sha: string } };
    const { body: listed } = await upstream('GET', `${repository}/git/trees/${tree.sha}`);
    const entries = (listed as { tree: { path: string; sha: string }[] }).tree;
    const files = [];
    for (const { path, sha } of entries) files.push({ name: path, oid: sha, object: await readBlob(sha) });
    return { target: { oid, message, tree: { oid: tree.sha, entries: files } } };
  }

  async function readBlob(oid: string): Promise<Json> {
    const { body } = await upstream('GET', `${repository}/git/blobs/${oid}`);
    const bytes = Buffer.from((body as { content: string }).content, 'base64');
    const isTruncated = bytes.length > MAX_TEXT_BYTES;
    const text = bytes.subarray(0, MAX_TEXT_BYTES).toString('utf8');
    const isBinary = bytes.includes(0) || !isUtf8(bytes);
    return { oid, isTruncated, isBinary, text: isBinary ? null : text };
  }

  /** Facts that a desk asks for together with its ref. `rest` checks the permissions of the caller. */
  async function readAlong({ default_branch: name }: Json, number: number, rest: Upstream): Promise<Json> {
    const { status, body } = await rest('GET', `${repository}/issues/${number}`);
    const issue = body as Json & { number?: number; labels: Json[]; user: Json | null };
    if (status === 403) throw new Error('Resource not accessible by integration');
    if (status !== 200 || issue.number !== number || issue.pull_request)
      throw new Error(`Could not resolve to an Issue with the number of ${number}.`);
    const login = String(issue.user?.login);
    const oid = await at(`refs/heads/${name}`);
    return {
      defaultBranchRef: oid === undefined ? null : { name, target: { oid } },
      issue: {
        ...{ number, id: issue.node_id, title: issue.title, body: issue.body ?? '', locked: issue.locked },
        state: String(issue.state).toUpperCase(),
        updatedAt: issue.updated_at,
        author: { __typename: issue.user?.type ?? 'User', login: login.replace(/\[bot\]$/, '') },
        comments: { totalCount: issue.comments },
        labels: {
          totalCount: issue.labels.length,
          nodes: issue.labels.map((label) => ({ id: label.node_id, name: label.name })),
        },
      },
    };
  }

  function expect({ caller }: Call, level: 'read' | 'write'): void {
    if (caller.kind === 'job' && !allows(caller.permissions, 'contents', level))
      throw new Error('Resource not accessible by integration');
  }

  return {
    async readRefs(call, query, variables, rest) {
      expect(call, 'read');
      const { body } = await upstream('GET', repository);
      const asked = query.includes('issue(number: $issue)');
      const along = asked ? await readAlong(body as Json, Number(variables.issue), rest) : {};
      const tips: Json = {};
      for (const [, name = '', variable = ''] of query.matchAll(/(\w+):\s*ref\(qualifiedName: \$(\w+)\)/g))
        tips[name] = await readTip(String(variables[variable]));
      return { repository: { id: (body as Json).node_id, ...tips, ...along } };
    },

    async updateRefs(call, updates) {
      expect(call, 'write');
      const done = queue.then(async () => {
        for (const update of updates) await check(update);
        for (const update of updates) await write(update, call);
      });
      queue = done.catch(() => undefined);
      await done;
      return { updateRefs: { clientMutationId: null } };
    },

    async answer({ method, path, body }) {
      const isNew = method === 'POST' && matchPath('/repos/:owner/:repo/git/refs', path);
      const name = String(body.ref);
      if (isNew && !/^refs\/[^/]+\/./.test(name)) return refuse(422, 'Reference name must start with refs/');
      const moved = matchPath('/repos/:owner/:repo/git/refs/*ref', path)?.ref;
      if (!moved || method === 'GET' || (await at(moved))) return undefined;
      return refuse(422, 'Reference does not exist');
    },

    async fixAnswer(call, answer) {
      const { method, path } = call;
      const moved = method === 'PATCH' && matchPath('/repos/:owner/:repo/git/refs/heads/*branch', path);
      if (moved && answer.status === 200) await onPush(moved.branch ?? '', '', call);
      const { message } = (answer.body ?? {}) as { message?: string };
      return message === 'Update is not a fast-forward'
        ? refuse(422, 'Update is not a fast forward')
        : answer;
    },
  };
}
