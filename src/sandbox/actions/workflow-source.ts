import { parse } from 'yaml';
import type { Json, Upstream } from '../github/gap.ts';
import { readWorkflow, type WorkflowFile } from './workflow-file.ts';

const FILE = /^[\w.-]+\.ya?ml$/;
const FOLDER = '.github/workflows';

/** Workflow files as they are at a commit. */
export interface WorkflowSource {
  head(): Promise<{ sha: string; branch: string }>;
  /** One file at the default branch. */
  find(file: string): Promise<{ workflow: WorkflowFile; sha: string; branch: string } | undefined>;
  /** All files at a commit. Those that cannot be read are left out, and `problems` says why. */
  list(sha: string, repository?: string): Promise<WorkflowFile[]>;
  /** A file that a job calls: one of this repository, or one of those that `called` has. */
  findCalled(uses: string, sha: string): Promise<WorkflowFile | undefined>;
  readonly problems: readonly string[];
}

/** `called` gives the text of another repository's workflow, by `owner/name/path` without the version. */
export function createWorkflowSource(
  upstream: Upstream,
  repository: string,
  called: (path: string) => string | undefined,
): WorkflowSource {
  const problems: string[] = [];
  /** By commit, whose files never change. */
  const known = new Map<string, WorkflowFile[]>();

  let branchName: string | undefined;
  async function head(): Promise<{ sha: string; branch: string }> {
    branchName ??= String(((await upstream('GET', repository)).body as Json).default_branch);
    const branch = branchName;
    const { body } = await upstream('GET', `${repository}/git/ref/heads/${branch}`);
    return { branch, sha: (body as { object: { sha: string } }).object.sha };
  }

  async function read(file: string, ref: string, from: string): Promise<WorkflowFile | undefined> {
    if (!FILE.test(file)) return undefined;
    const { status, body } = await upstream('GET', `${from}/contents/${FOLDER}/${file}?ref=${ref}`);
    if (status !== 200) return undefined;
    return readWorkflow(file, parse(Buffer.from(String((body as Json).content), 'base64').toString('utf8')));
  }

  return {
    problems,
    head,
    async find(file) {
      const at = await head();
      const workflow = await read(file, at.branch, repository);
      return workflow && { workflow, ...at };
    },
    async list(sha, from = repository) {
      const before = known.get(sha);
      if (before) return before;
      const { status, body } = await upstream('GET', `${from}/contents/${FOLDER}?ref=${sha}`);
      const found: WorkflowFile[] = [];
      for (const { name } of status === 200 ? (body as { name: string }[]) : []) {
        try {
          const workflow = await read(name, sha, from);
          if (workflow) found.push(workflow);
        } catch (error) {
          problems.push(`${name}: ${(error as Error).message}`);
        }
      }
      known.set(sha, found);
      return found;
    },
    async findCalled(uses, sha) {
      const own = /^\.\/\.github\/workflows\/([^/]+)$/.exec(uses)?.[1];
      if (own) return read(own, sha, repository);
      const [path = ''] = uses.split('@');
      const text = called(path);
      return text === undefined ? undefined : readWorkflow(path.split('/').at(-1) ?? '', parse(text));
    },
  };
}
