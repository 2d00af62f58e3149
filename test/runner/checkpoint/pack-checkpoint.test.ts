import {
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Agent } from '../../../src/agents/agent.ts';
import { commandAgent } from '../../../src/agents/command.ts';
import {
  type CheckpointContents,
  CheckpointError,
  packCheckpoint,
  unpackCheckpoint,
} from '../../../src/runner/checkpoint/pack-checkpoint.ts';
import { restoreCheckpoint } from '../../../src/runner/checkpoint/restore-checkpoint.ts';
import { makeChangeset } from '../../../src/runner/workspace/make-changeset.ts';
import { openWorkspace } from '../../../src/runner/workspace/workspace.ts';
import { git, makeTemporaryDirectory, makeWorktree } from '../temporary-worktree.ts';

/** An agent with a conversation on disk that names the place it was held at. */
const talker: Agent = {
  ...commandAgent('talker', ['true']),
  sessionFiles: (session) => [`sessions/**/${session}.jsonl`],
  relocate: ({ path, text }, { from, to }) => ({ path, text: text?.replaceAll(from, to) }),
};

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

async function parkedWorktree() {
  const tree = makeWorktree({ 'a.txt': 'a\n', 'held.txt': 'as it was\n' });
  const workspace = await tree.open();
  const head = git(tree.worktree, 'rev-parse', 'HEAD').trim();
  tree.write('a.txt', 'work\n');
  tree.write('held.txt', 'not allowed yet\n');
  tree.write('bundle/one.txt', '1\n');
  symlinkSync('one.txt', tree.at('bundle/link'));
  symlinkSync('a.txt', tree.at('alias'));
  const aside = await workspace.revert(['held.txt', 'bundle'], tree.aside);
  const home = join(tree.top, 'home');
  write(join(home, 'sessions/2026/s1.jsonl'), `{"cwd":"${tree.worktree}","home":"${home}"}\n`);
  write(join(home, 'sessions/2026/other.jsonl'), 'another conversation\n');
  write(join(home, 'credentials.json'), 'never carried\n');
  const contents: CheckpointContents = {
    run: 'run1',
    worktree: tree.worktree,
    changeset: await makeChangeset(workspace, head),
    aside,
    home,
    conversation: { agent: talker, session: 's1' },
  };
  return { tree, head, contents };
}

test('P-7: the mark of the prompts, what the conversation was told and what it is to be told come along', async () => {
  const { contents } = await parkedWorktree();
  const told = { turn: 1, approaching_limit: false, max_files: null, files_so_far: 0, inputs: [] };
  const carried = {
    mark: '0123456789abcdef',
    told: {
      talker: {
        ...told,
        session: 's1',
        answers: ['x'],
        known_issues: [],
        predecessor: null,
        round: null,
        checked_at: null,
      },
    },
    stray_help: ['stderr' as const],
  };
  const bytes = await packCheckpoint({ ...contents, ...carried });
  expect(await unpackCheckpoint(bytes, 'run1')).toMatchObject(carried);
});

test('P-7: a parked job goes on at another place: files, links, what was set aside, the conversation', async () => {
  const { tree, head, contents } = await parkedWorktree();
  const bytes = await packCheckpoint(contents);
  const top = makeTemporaryDirectory();
  const worktree = join(top, 'other', 'checkout');
  git(tree.worktree, 'clone', '-q', tree.worktree, worktree);
  const home = join(top, 'agent-home');
  mkdirSync(home);
  const workspace = await openWorkspace({ worktree, gitDir: join(top, 'git'), stateDir: '.autobuild' });
  const { aside, conversation: restored } = await restoreCheckpoint(await unpackCheckpoint(bytes, 'run1'), {
    worktree,
    headSha: head,
    asideDir: join(top, 'aside'),
    home,
    agentFor: (name) => (name === 'talker' ? talker : undefined),
    env: {},
  });
  expect(restored).toEqual({ agent: 'talker', session: 's1' });
  expect(await workspace.changedPaths()).toEqual(['a.txt', 'alias']);
  expect(readlinkSync(join(worktree, 'alias'))).toBe('a.txt');
  const conversation = readFileSync(join(home, 'sessions/2026/s1.jsonl'), 'utf8');
  expect(JSON.parse(conversation)).toEqual({ cwd: worktree, home });
  // Nothing else of the agent's directory is carried.
  for (const name of ['sessions/2026/other.jsonl', 'credentials.json'])
    expect(statSync(join(home, name), { throwIfNoEntry: false })).toBeUndefined();
  expect(await workspace.restoreAside(aside)).toEqual(['held.txt', 'bundle']);
  expect(readFileSync(join(worktree, 'held.txt'), 'utf8')).toBe('not allowed yet\n');
  expect(readFileSync(join(worktree, 'bundle/one.txt'), 'utf8')).toBe('1\n');
  expect(readlinkSync(join(worktree, 'bundle/link'))).toBe('one.txt');
});

describe('P-7: the conversation at another place', () => {
  /** Packs with one agent, restores with another of that name. */
  async function move(
    agent: Agent,
    content: Buffer | string = 'x\n',
    addFiles: (worktree: string, home: string) => void = () => undefined,
  ) {
    const { tree, head, contents } = await parkedWorktree();
    addFiles(tree.worktree, contents.home);
    writeFileSync(join(contents.home, 'sessions/2026/s1.jsonl'), content);
    const bytes = await packCheckpoint({ ...contents, conversation: { agent, session: 's1' } });
    const top = makeTemporaryDirectory();
    const worktree = join(top, 'checkout');
    git(tree.worktree, 'clone', '-q', tree.worktree, worktree);
    const home = join(top, 'home');
    const place = { worktree, headSha: head, asideDir: join(top, 'aside'), home, agentFor: () => agent };
    const env = { PATH: process.env.PATH ?? '' };
    const restored = await restoreCheckpoint(await unpackCheckpoint(bytes, 'run1'), { ...place, env });
    return { ...restored, worktree, home };
  }

  test('what is no text is carried byte by byte', async () => {
    const binary = Buffer.from([0xff, 0xfe, 0x00, 0x80, 0x41]);
    const { home } = await move(talker, binary);
    expect(readFileSync(join(home, 'sessions/2026/s1.jsonl'))).toEqual(binary);
  });

  test('files that are named after the worktree get the name of the new one, binary files included', async () => {
    const nameOf = (directory: string) => directory.replaceAll('/', '-');
    const named: Agent = {
      ...talker,
      sessionFiles: () => ['sessions/**'],
      relocate: ({ path, text }, { from, to }) => ({
        path: path.replace(nameOf(from), nameOf(to)),
        text: text?.replaceAll(from, to),
      }),
    };
    const binary = Buffer.from([0xff, 0x00, 0x80]);
    const { home, worktree, conversation } = await move(named, 'x\n', (from, packed) => {
      write(join(packed, `sessions/${nameOf(from)}/s1.jsonl`), `${from}\n`);
      writeFileSync(join(packed, `sessions/${nameOf(from)}/s1.db`), binary);
    });
    expect(conversation).toEqual({ agent: 'talker', session: 's1' });
    expect(readdirSync(join(home, 'sessions')).toSorted()).toEqual([nameOf(worktree), '2026'].toSorted());
    const folder = join(home, 'sessions', nameOf(worktree));
    expect(readFileSync(join(folder, 's1.jsonl'), 'utf8')).toBe(`${worktree}\n`);
    expect(readFileSync(join(folder, 's1.db'))).toEqual(binary);
  });

  test('a new name that leads out of the home is refused', async () => {
    const escaping: Agent = { ...talker, relocate: ({ text }) => ({ path: '../../evil', text }) };
    await expect(move(escaping)).rejects.toThrow();
  });

  test('a file the agent itself cannot read begins a new conversation, and the work is kept', async () => {
    const { conversation, worktree } = await move({
      ...talker,
      relocate: ({ path, text = '' }) => ({ path, text: String(JSON.parse(text)) }),
    });
    expect(conversation).toEqual({ problem: expect.stringMatching(/s1\.jsonl cannot be brought here/) });
    expect(readFileSync(join(worktree, 'a.txt'), 'utf8')).toBe('work\n');
  });

  test('the agent’s own program reads it in before any file of the run is there', async () => {
    const importer = (script: string): Agent => ({
      ...talker,
      importSession: ({ session, home }) => ({
        argv: ['sh', '-c', script, session, home],
        env: { FROM: 'the agent' },
      }),
    });
    const read = await move(
      importer('cat a.txt "$1/sessions/2026/$0.jsonl" > "$1/seen"; echo "$FROM" >> "$1/seen"'),
    );
    expect(read.conversation).toEqual({ agent: 'talker', session: 's1' });
    expect(readFileSync(join(read.home, 'seen'), 'utf8')).toBe('a\nx\nthe agent\n');
    const failed = await move(importer('echo no such format >&2; exit 3'));
    expect(failed.conversation).toEqual({ problem: '`sh -c`: it ended with 3: no such format' });
    expect(readFileSync(join(failed.worktree, 'a.txt'), 'utf8')).toBe('work\n');
  });
});

test('too much to carry is an error that names the largest file', async () => {
  const { contents } = await parkedWorktree();
  await expect(packCheckpoint(contents, 200)).rejects.toThrow(
    /at most .* can be saved.*largest file is sessions/,
  );
});

describe('S-9: what is no checkpoint of this run is refused with words', () => {
  const envelope = { format: 'autobuild-checkpoint', version: 1 };
  test.each([
    ['empty', new Uint8Array(), 'cannot be unpacked'],
    ['no gzip', Buffer.from('hello'), 'cannot be unpacked'],
    ['cut off', gzipSync(JSON.stringify({ text: 'x'.repeat(1000) })).subarray(0, 20), 'cannot be unpacked'],
    ['no JSON', gzipSync('{"a":'), 'not JSON'],
    ['other JSON', gzipSync('[1]'), 'not one of this version'],
    ['of a later version', gzipSync(JSON.stringify({ ...envelope, version: 2 })), 'not one of this version'],
    ['a bomb', gzipSync(Buffer.alloc(5 * 1024 * 1024)), 'cannot be unpacked'],
  ])('%s', async (_, bytes, words) => {
    const refused = unpackCheckpoint(bytes, 'run1', 1024 * 1024);
    await expect(refused).rejects.toThrow(CheckpointError);
    await expect(refused).rejects.toThrow(words);
  });

  test('of another run', async () => {
    const { contents } = await parkedWorktree();
    const bytes = await packCheckpoint({ ...contents, run: 'other' });
    await expect(unpackCheckpoint(bytes, 'run1')).rejects.toThrow('belongs to run "other"');
  });

  test('with paths that lead out of the worktree', async () => {
    const { tree, head, contents } = await parkedWorktree();
    const checkpoint = await unpackCheckpoint(await packCheckpoint(contents), 'run1');
    const place = {
      headSha: head,
      asideDir: tree.aside,
      home: contents.home,
      agentFor: () => talker,
      env: {},
    };
    const worktree = join(makeTemporaryDirectory(), 'w');
    git(tree.worktree, 'clone', '-q', tree.worktree, worktree);
    const content = Buffer.from('x').toString('base64');
    const hostile = [
      { ...checkpoint, links: [{ path: '../link', target: '/etc' }] },
      { ...checkpoint, session_files: [{ path: '../../evil', mode: 0o644, content }] },
      { ...checkpoint, changeset: { ...checkpoint.changeset, base_sha: 'b'.repeat(40) } },
    ];
    for (const one of hostile) await expect(restoreCheckpoint(one, { ...place, worktree })).rejects.toThrow();
    expect(statSync(join(worktree, '../link'), { throwIfNoEntry: false })).toBeUndefined();
  });
});
