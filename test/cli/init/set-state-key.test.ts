import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { initCommand } from '../../../src/cli/commands/init-command.ts';
import { readOptions } from '../../../src/cli/options.ts';
import { makeTemporaryDirectory, makeWorktree } from '../../runner/temporary-worktree.ts';

const ACTION = `acme/autobuild@${'c0ffee12'.repeat(5)}`;
const COMMAND = 'openssl rand -base64 32 | gh secret set AUTOBUILD_KEY --repo olivia/shop';

/** A gh that keeps what it is told in files. */
function makeGh({ listed = '', fails = '' }: { listed?: string; fails?: string } = {}) {
  const directory = makeTemporaryDirectory();
  const at = (name: string) => join(directory, name);
  const program = `#!/bin/sh
echo "$*" >> '${at('calls')}'
[ "$1 $2" = '${fails}' ] && exit 1
[ "$1 $2" = 'secret list' ] && printf '${listed}'
[ "$1 $2" = 'secret set' ] && cat > '${at('key')}'
exit 0
`;
  writeFileSync(at('gh'), program);
  chmodSync(at('gh'), 0o755);
  const read = (name: string) => (existsSync(at(name)) ? readFileSync(at(name), 'utf8') : '');
  return { directory, calls: () => read('calls'), key: () => read('key') };
}

async function init(gh: { directory: string }, answer: string | undefined, ...args: string[]) {
  const tree = makeWorktree({ 'package.json': '{"scripts":{"test":"node --test"}}' }, { repository: false });
  tree.write('.git/HEAD', 'ref: refs/heads/main\n');
  tree.write('.git/objects/.keep', '');
  tree.write('.git/refs/.keep', '');
  tree.write('.git/config', '[remote "origin"]\n\turl = git@github.com:olivia/shop.git\n');
  const questions: string[] = [];
  const options = readOptions(['init', '--agent', 'claude', '--action', ACTION, ...args], tree.worktree);
  const env = { PATH: `${gh.directory}:/usr/local/bin:/usr/bin:/bin`, HOME: '/nonexistent' };
  const { lines } = await initCommand(options, {
    env,
    async ask(question) {
      questions.push(question);
      return answer;
    },
  });
  return { text: lines.join('\n'), questions };
}

test('N-1: with gh and a person who agrees, init makes the state key and saves it, and nobody sees it', async () => {
  const gh = makeGh();
  const { text, questions } = await init(gh, '');
  expect(questions).toEqual([
    'Create a random AUTOBUILD_KEY (it encrypts the state of runs) and save it as a secret of olivia/shop with gh? [Y/n] ',
  ]);
  expect(Buffer.from(gh.key(), 'base64')).toHaveLength(32);
  expect(gh.calls()).toBe('secret list --repo olivia/shop\nsecret set AUTOBUILD_KEY --repo olivia/shop\n');
  expect(text).not.toContain(gh.key());
  expect(text).toContain('✓ The Actions secret AUTOBUILD_KEY was created and saved.');
  expect(text).not.toContain(COMMAND);
  const other = makeGh();
  await init(other, 'yes');
  expect(other.key()).not.toBe(gh.key());
});

test('N-1: a state key that is there stays: open runs need it', async () => {
  const gh = makeGh({ listed: 'ANTHROPIC_API_KEY\\t2026-11-16\\nAUTOBUILD_KEY\\t2026-11-16\\n' });
  const { text, questions } = await init(gh, 'y');
  expect(questions).toEqual([]);
  expect(gh.calls()).not.toContain('secret set');
  expect(text).toContain('✓ The Actions secret AUTOBUILD_KEY is there already.');
  expect(text).not.toContain(COMMAND);
});

test.each<[string, string | undefined, Parameters<typeof makeGh>[0], string[]]>([
  ['the person says no', 'n', {}, []],
  ['the person leaves the question', undefined, {}, []],
  ['gh is not logged in', 'y', { fails: 'secret list' }, []],
  ['gh may not save it', 'y', { fails: 'secret set' }, []],
  ['it is a dry run', 'y', {}, ['--dry-run']],
])('N-1: nothing is saved, and the command is printed, if %s', async (_, answer, made, args) => {
  const gh = makeGh(made);
  const { text } = await init(gh, answer, ...args);
  expect(gh.key()).toBe('');
  expect(text).toContain(COMMAND);
});

test('N-1: the hosted App has its own keys, so none is offered', async () => {
  const gh = makeGh();
  const { questions } = await init(gh, 'y', '--desk', 'https://autobuild.acme.dev');
  expect(questions).toEqual([]);
  expect(gh.calls()).toBe('');
});
