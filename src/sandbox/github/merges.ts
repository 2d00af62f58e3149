import { type Answer, type Call, type Gap, type Json, matchPath, refuse, type Upstream } from './gap.ts';

interface Pull {
  number: number;
  title: string;
  body: string | null;
  state: string;
  draft: boolean;
  head: { ref: string };
  base: { ref: string };
}

interface Entry {
  path: string;
  mode: string;
  type: string;
  sha: string;
}

/** The commits of a merged pull request, kept because its branches change later. */
interface Merged {
  base: string;
  head: string;
  commit: string;
}

interface MergeDependencies {
  repository: string;
  upstream: Upstream;
  /** Calls emulate as that person, who is then named in its webhooks. */
  upstreamAs(login: string): Upstream;
  onMerged(call: Call): Promise<void>;
}

/** As GitHub reads them in the description of a pull request. */
const CLOSING = /\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):? +#(\d+)\b/gi;

/**
 * GitHub merges the branch as it is now into the default branch as it is now, and closes the issue that the description names.
 * emulate would take the branch as it was when the pull request was opened, drop everything merged since, and invent the list of
 * changed files.
 */
export function createMerges({ repository, upstream, upstreamAs, onMerged }: MergeDependencies): Gap {
  const merged = new Map<number, Merged>();
  /** One merge at a time, because each starts from the one before. */
  let last: Promise<unknown> = Promise.resolve();

  async function ask<Body>(method: string, path: string, body?: unknown): Promise<Body> {
    const answer = await upstream(method, `${repository}${path}`, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body as Body;
  }
  const tipOf = async (branch: string) =>
    (await ask<{ object: { sha: string } }>('GET', `/git/ref/heads/${branch}`)).object.sha;
  const treeOf = async (commit: string) =>
    (await ask<{ tree: { sha: string } }>('GET', `/git/commits/${commit}`)).tree.sha;
  const filesOf = async (commit: string) => {
    const { tree } = await ask<{ tree: Entry[] }>('GET', `/git/trees/${await treeOf(commit)}?recursive=1`);
    return new Map(tree.filter(({ type }) => type !== 'tree').map((entry) => [entry.path, entry]));
  };
  const compare = (base: string, head: string) =>
    ask<{ merge_base_commit: { sha: string }; files: Json[] }>('GET', `/compare/${base}...${head}`);

  /** The commit that joins both, or undefined where both changed the same file. */
  async function join(
    { number, title }: Pull,
    base: string,
    head: string,
    { merge_method, commit_title, commit_message }: Json,
  ): Promise<string | undefined> {
    const { merge_base_commit } = await compare(base, head);
    const [before, ours, theirs] = await Promise.all([merge_base_commit.sha, base, head].map(filesOf));
    if (!before || !ours || !theirs) return undefined;
    const isSame = (one?: Entry, other?: Entry) => one?.sha === other?.sha && one?.mode === other?.mode;
    const paths = [...new Set([...before.keys(), ...theirs.keys()])].filter(
      (path) => !isSame(before.get(path), theirs.get(path)) && !isSame(ours.get(path), theirs.get(path)),
    );
    if (paths.some((path) => !isSame(before.get(path), ours.get(path)))) return undefined;
    const tree = paths.map((path) => {
      const entry = theirs.get(path) ?? before.get(path);
      return { path, mode: entry?.mode, type: entry?.type, sha: theirs.get(path)?.sha ?? null };
    });
    const made = await ask<{ sha: string }>('POST', '/git/trees', { base_tree: await treeOf(base), tree });
    const isSquash = merge_method === 'squash';
    const first = commit_title ?? (isSquash ? `${title} (#${number})` : `Merge pull request #${number}`);
    const message = `${first}\n\n${commit_message ?? title}`;
    const commit = { message, tree: made.sha, parents: isSquash ? [base] : [base, head] };
    return (await ask<{ sha: string }>('POST', '/git/commits', commit)).sha;
  }

  async function merge(call: Call, login: string, number: number): Promise<Answer | undefined> {
    const read = await upstream('GET', `${repository}/pulls/${number}`);
    const pull = read.body as Pull;
    // emulate says why not.
    if (read.status !== 200 || pull.state !== 'open' || pull.draft) return undefined;
    const [base, head] = await Promise.all([tipOf(pull.base.ref), tipOf(pull.head.ref)]);
    const commit = await join(pull, base, head, call.body);
    if (!commit) return refuse(405, 'Pull Request is not mergeable');
    const answer = await upstreamAs(login)('PUT', call.path, call.body);
    if (answer.status >= 300) return answer;
    await ask('PATCH', `/git/refs/heads/${pull.base.ref}`, { sha: commit, force: true });
    merged.set(number, { base, head, commit });
    await onMerged(call);
    for (const [, issue] of (pull.body ?? '').matchAll(CLOSING))
      await upstreamAs(login)('PATCH', `${repository}/issues/${issue}`, { state: 'closed' });
    return { ...answer, body: { ...(answer.body as Json), sha: commit } };
  }

  async function listFiles(number: number): Promise<Answer> {
    const { status, body } = await upstream('GET', `${repository}/pulls/${number}`);
    if (status !== 200) return { status, body };
    const { base, head } = merged.get(number) ?? {
      base: (body as Pull).base.ref,
      head: (body as Pull).head.ref,
    };
    return { status: 200, body: (await compare(base, head)).files };
  }

  const settle = (pull: Json & { head?: Json }): Json => {
    const known = merged.get(Number(pull.number));
    return known
      ? { ...pull, head: { ...pull.head, sha: known.head }, merge_commit_sha: known.commit }
      : pull;
  };

  return {
    async answer(call) {
      const { method, path, caller } = call;
      const listed = method === 'GET' && matchPath('/repos/:owner/:repo/pulls/:number/files', path);
      if (listed) return listFiles(Number(listed.number));
      const asked = method === 'PUT' && matchPath('/repos/:owner/:repo/pulls/:number/merge', path);
      if (!asked || caller.kind === 'app') return undefined;
      const mine = last.then(() => merge(call, caller.login, Number(asked.number)));
      last = mine.catch(() => undefined);
      return mine;
    },

    fixAnswer({ path }, answer) {
      const { body } = answer;
      if (Array.isArray(body) && matchPath('/repos/:owner/:repo/pulls', path))
        return { ...answer, body: body.map(settle) };
      const isOne = answer.status === 200 && matchPath('/repos/:owner/:repo/pulls/:number', path);
      return isOne ? { ...answer, body: settle(body as Json) } : answer;
    },

    async fixPayload(event, payload) {
      if (event !== 'pull_request' || payload.action !== 'closed') return payload;
      // emulate tells of a merge before the default branch has it.
      await last;
      return { ...payload, pull_request: settle(payload.pull_request as Json) };
    },
  };
}
