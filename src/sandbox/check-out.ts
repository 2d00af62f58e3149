import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Upstream } from './github/gap.ts';

interface Entry {
  path: string;
  mode: string;
  type: string;
  sha: string;
}

interface Commit {
  sha: string;
  tree: { sha: string };
  parents: { sha: string }[];
  author: Identity;
  committer: Identity;
  message: string;
}

interface Identity {
  name: string;
  email: string;
  date: string;
}

/**
 * Does the work of `actions/checkout`: one commit, no history, no credentials. A second one in the same place replaces the files
 * and keeps what was fetched. emulate has no git protocol, so the objects are rebuilt. Their names are hashes, which proves that
 * they are the same.
 */
export async function checkOut(
  upstream: Upstream,
  repository: string,
  sha: string,
  directory: string,
): Promise<void> {
  const commit = (await upstream('GET', `${repository}/git/commits/${sha}`)).body as Commit;
  if (commit.sha !== sha) throw new Error(`There is no commit ${sha}.`);
  for (const name of readdirSync(directory))
    if (name !== '.git') rmSync(join(directory, name), { recursive: true, force: true });
  const listed = await upstream('GET', `${repository}/git/trees/${commit.tree.sha}?recursive=1`);
  for (const entry of (listed.body as { tree: Entry[] }).tree) {
    if (entry.type !== 'blob') continue;
    const { body } = await upstream('GET', `${repository}/git/blobs/${entry.sha}`);
    writeEntry(
      join(directory, entry.path),
      entry.mode,
      Buffer.from((body as { content: string }).content, 'base64'),
    );
  }
  const git = (args: string[], input = '') =>
    execFileSync('git', ['-c', 'core.autocrlf=false', '-c', 'core.excludesFile=', ...args], {
      cwd: directory,
      input,
      encoding: 'utf8',
      stdio: ['pipe', 'pipe', 'pipe'],
    }).trim();
  git(['init', '--quiet', '--template=']);
  git(['add', '--all', '--force']);
  expectSame('tree', git(['write-tree']), commit.tree.sha);
  expectSame('commit', git(['hash-object', '-t', 'commit', '-w', '--stdin'], renderCommit(commit)), sha);
  // The commit's parents are not fetched.
  if (commit.parents.length > 0) appendFileSync(join(directory, '.git/shallow'), `${sha}\n`);
  git(['update-ref', '--no-deref', 'HEAD', sha]);
}

function writeEntry(file: string, mode: string, content: Buffer): void {
  mkdirSync(dirname(file), { recursive: true });
  if (mode === '120000') symlinkSync(content.toString('utf8'), file);
  else writeFileSync(file, content);
  if (mode === '100755') chmodSync(file, 0o755);
}

function renderCommit({ tree, parents, author, committer, message }: Commit): string {
  const lines = [
    `tree ${tree.sha}`,
    ...parents.map((parent) => `parent ${parent.sha}`),
    `author ${renderIdentity(author)}`,
    `committer ${renderIdentity(committer)}`,
  ];
  return `${lines.join('\n')}\n\n${message}${message.endsWith('\n') ? '' : '\n'}`;
}

function renderIdentity({ name, email, date }: Identity): string {
  return `${name} <${email}> ${Math.floor(Date.parse(date) / 1000)} +0000`;
}

function expectSame(what: string, made: string, wanted: string): void {
  if (made !== wanted) throw new Error(`The checkout's ${what} is ${made}, not ${wanted}.`);
}
