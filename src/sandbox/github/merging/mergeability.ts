import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Gap, type Json, matchPath, type Upstream } from '../gap.ts';

type Mergeable = 'MERGEABLE' | 'CONFLICTING' | 'UNKNOWN';

interface MergeabilityGap extends Gap {
  /** Unknown when it is asked for the first time since one of the branches moved, as on GitHub, which computes it then. */
  of(pull: number): Promise<Mergeable>;
}

interface Pull extends Json {
  number: number;
  state: string;
  head: { ref: string };
  base: { ref: string };
}

interface Entry {
  path: string;
  mode: string;
  type: string;
  sha: string;
}

const STATES = { MERGEABLE: 'clean', CONFLICTING: 'dirty', UNKNOWN: 'unknown' } as const;

/** Whether a pull request conflicts with its base, by git itself. For emulate none does. */
export function createMergeability(repository: string, upstream: Upstream): MergeabilityGap {
  const computed = new Map<string, Promise<Mergeable>>();

  const read = async <Body>(path: string) => (await upstream('GET', `${repository}${path}`)).body as Body;
  const tipOf = async (branch: string) =>
    (await read<{ object?: { sha: string } }>(`/git/ref/heads/${branch}`)).object?.sha;

  async function look(number: number): Promise<Mergeable> {
    const pull = await read<Pull>(`/pulls/${number}`);
    const [base, head] = [await tipOf(pull.base.ref), await tipOf(pull.head.ref)];
    if (pull.state !== 'open' || base === undefined || head === undefined) return 'UNKNOWN';
    const key = `${base} ${head}`;
    const known = computed.get(key);
    if (known) return known;
    const computing = compute(base, head);
    // Nobody may ever ask for the answer.
    computing.catch(() => undefined);
    computed.set(key, computing);
    return 'UNKNOWN';
  }

  async function compute(base: string, head: string): Promise<Mergeable> {
    const { merge_base_commit } = await read<{ merge_base_commit?: { sha: string } }>(
      `/compare/${base}...${head}`,
    );
    if (!merge_base_commit) return 'CONFLICTING';
    // One is an ancestor of the other. Git would be started twenty times to say so.
    if ([base, head].includes(merge_base_commit.sha)) return 'MERGEABLE';
    const directory = await mkdtemp(join(tmpdir(), 'autobuild-mergeable-'));
    try {
      return await mergeIn(directory, [merge_base_commit.sha, head, base]);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  }

  async function mergeIn(
    directory: string,
    [ancestor = '', head = '', base = '']: string[],
  ): Promise<Mergeable> {
    const git = (args: string[], input: string | Buffer = '') => runGit(directory, args, input);
    await git(['init', '--quiet', '--bare', '--template=']);
    const stored = new Map<string, string>();
    const commit = async (sha: string, ...parents: string[]) => {
      const { tree } = await read<{ tree: { sha: string } }>(`/git/commits/${sha}`);
      const listed = await read<{ tree: Entry[] }>(`/git/trees/${tree.sha}?recursive=1`);
      const lines: string[] = [];
      for (const entry of listed.tree.filter(({ type }) => type === 'blob')) {
        if (!stored.has(entry.sha)) {
          const { content } = await read<{ content: string }>(`/git/blobs/${entry.sha}`);
          stored.set(entry.sha, await git(['hash-object', '-w', '--stdin'], Buffer.from(content, 'base64')));
        }
        lines.push(`${entry.mode} ${stored.get(entry.sha)}\t${entry.path}\0`);
      }
      await git(['read-tree', '--empty']);
      await git(['update-index', '--add', '-z', '--index-info'], lines.join(''));
      const written = await git(['write-tree']);
      return git(['commit-tree', '-m', sha, ...parents.flatMap((one) => ['-p', one]), written]);
    };
    const first = await commit(ancestor);
    const [one, other] = [await commit(head, first), await commit(base, first)];
    const conflicts = await git([
      'merge-tree',
      '--write-tree',
      '--name-only',
      '--no-messages',
      one,
      other,
    ]).then(
      () => false,
      (error: { code?: unknown }) => {
        if (error.code === 1) return true;
        throw error;
      },
    );
    return conflicts ? 'CONFLICTING' : 'MERGEABLE';
  }

  return {
    of: look,
    async fixAnswer({ method, path }, answer) {
      const one = method === 'GET' && matchPath('/repos/:owner/:repo/pulls/:number', path);
      if (!one || answer.status !== 200) return answer;
      const found = await look(Number(one.number));
      const mergeable = found === 'UNKNOWN' ? null : found === 'MERGEABLE';
      return { ...answer, body: { ...(answer.body as Json), mergeable, mergeable_state: STATES[found] } };
    },
  };
}

const AUTHOR = ['-c', 'user.name=sandbox', '-c', 'user.email=sandbox@localhost'];

async function runGit(directory: string, args: string[], input: string | Buffer): Promise<string> {
  const plain = ['--git-dir=.', '-c', 'core.hooksPath=/dev/null', ...AUTHOR];
  const running = promisify(execFile)('git', [...plain, ...args], { cwd: directory });
  // Git may exit before it has read all input. Its exit code says why.
  running.child.stdin?.on('error', (error) => error);
  running.child.stdin?.end(input);
  return (await running).stdout.trim();
}
