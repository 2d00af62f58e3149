import { describe, expect, test } from 'vitest';
import { agentConfigFiles } from '../../src/agents/registry.ts';
import type { ProposedWrite } from '../../src/core/contracts/guard.ts';
import type { ChangesetFile } from '../../src/core/work/changeset.ts';
import { changesetLimits, digestOfFile, examineWork } from '../../src/core/work/examine-work.ts';
import { isApproved } from '../../src/core/work/is-approved.ts';
import { sensitivitiesOf } from '../../src/core/work/sensitive-path.ts';
import { RULES } from '../../src/guards/rules.ts';
import { PASSING, startRun } from '../core/run-builder.ts';

const CI = '.github/workflows/ci.yml';
const SENSITIVE = [
  CI,
  '.github/dependabot.yml',
  '.gitmodules',
  'CODEOWNERS',
  'src/AGENTS.md',
  '.claude/a.json',
];
const hash = (text: string) => `<${text}>`;
const fileOf = (path: string, text: string): ChangesetFile => ({
  path,
  mode: '100644',
  status: 'added',
  content: Buffer.from(text).toString('base64'),
});

/** A job holds or reverts an edit outside `app/`, as it is claimed. */
function ask(...writes: (Partial<ProposedWrite> & { path: string })[]) {
  const run = startRun({ task: { scope: ['app/**'] } }).beginTurn();
  for (const write of writes) {
    const proposed = { why: 'out_of_scope' as const, held: true, ...write };
    run.observe({ type: 'write_proposed', turn: 1, proposed, files: [], scope: ['app/**'] });
  }
  run.trip();
  return run;
}

/** The paths of finished work that a person is still asked about. */
function openIn(run: ReturnType<typeof ask>, files: ChangesetFile[], protectedPaths: string[] = []) {
  const changeset = { base_sha: 'a'.repeat(40), files, left_out: [] };
  const inForce = RULES.limitsInForce(run.state.limits);
  const limits = changesetLimits(run.state, { protected_paths: protectedPaths }, changeset, inForce, hash);
  return examineWork(changeset, 'digest', limits, [], hash).problems.map(({ path }) => path);
}

describe('S-7: a pattern covers what a person can see in it', () => {
  test.each(SENSITIVE)('%s is covered by its own name, not by a wildcard', (path) => {
    const covers = (pattern: string) => isApproved(path, { approvedPaths: [pattern] });
    expect(['**', '**/*', '*', '.*/**', '{.github,src,.claude}*/**', 'src/**'].filter(covers)).toEqual([]);
    expect(covers(path)).toBe(true);
  });

  test('a directory that makes a path sensitive is named by its own name', () => {
    const covers = (pattern: string, path: string) =>
      isApproved(path, { approvedPaths: [pattern], protectedPaths: ['db/{old,migrations}/**', '*.lock'] });
    expect(covers('.github/**', CI)).toBe(true);
    expect(covers('.github/**', '.github/CODEOWNERS')).toBe(false);
    expect(covers('**/AGENTS.md', 'src/AGENTS.md')).toBe(true);
    expect(covers('db/**', 'db/migrations/1.sql')).toBe(false);
    expect(covers('db/migrations/*', 'db/migrations/1.sql')).toBe(true);
    expect(covers('db/**', 'db/schema.sql')).toBe(true);
    expect(covers('*', 'yarn.lock')).toBe(false);
    expect(covers('*.lock', 'yarn.lock')).toBe(true);
  });

  test('every file that a built-in agent obeys is known', () => {
    const { anywhere, atTop } = agentConfigFiles();
    const unknown = [...anywhere.flatMap((name) => [name, `lib/${name}`]), ...atTop].filter(
      (path) => sensitivitiesOf(path).length === 0,
    );
    expect(unknown).toEqual([]);
    expect(sensitivitiesOf('docs/agents.md')).toEqual([]);
  });

  test('a typed pattern that names none of the waiting files changes nothing, and says so', () => {
    const run = ask({ path: CI });
    const { effects } = run.say('/approve paths=**');
    expect(effects).toMatchObject([{ type: 'reply', reply: { tone: 'refused', suggestion: '/approve' } }]);
    expect(run.state).toMatchObject({ pending: 'e1', approved_paths: [] });
    run.say(`/approve paths=${CI}`);
    expect(run.state.approved_paths).toEqual([CI]);
  });
});

describe('S-7: the box of a folder', () => {
  test('its directory is a literal that covers no workflow, protected, agents’ or owners’ file', () => {
    const run = ask({ path: 'lib/a.ts' });
    run.tick('approve-dir');
    expect(run.state).toMatchObject({ approved_paths: [], approved_folders: ['lib'] });
    const names = ['a.ts', 'sub/b.ts', 'CODEOWNERS', 'AGENTS.md', '.claude/x', 'keys/k'];
    const files = [...names.map((name) => fileOf(`lib/${name}`, 'x')), fileOf('library.ts', 'x')];
    expect(openIn(run, files, ['lib/keys/**'])).toEqual(
      ['lib/keys/k', 'lib/CODEOWNERS', 'lib/AGENTS.md', 'lib/.claude/x', 'library.ts'].toSorted(
        (a, b) => files.findIndex(({ path }) => path === a) - files.findIndex(({ path }) => path === b),
      ),
    );
  });

  test.each([...SENSITIVE, 'lib/[a-z]/x'])('is not offered for %s', (path) => {
    const { options } = ask({ path }).asked;
    expect(options.filter(({ command }) => command.startsWith('/approve'))).toMatchObject([
      { id: 'approve-path', command: '/approve' },
    ]);
  });

  test('is not offered for a path that the repository protects', () => {
    const { options } = ask({ path: 'lib/a.ts', guarded_by: ['lib/**'] }).asked;
    expect(options.map(({ id }) => id)).not.toContain('approve-dir');
  });
});

describe('S-7: an approval is for the content that was shown', () => {
  const shown = fileOf('lib/a.ts', 'shown');
  const digest = digestOfFile(shown, hash);

  test('other content of a file that was held or put back is asked about again', () => {
    const run = ask({ path: shown.path, digest });
    run.say('/approve');
    expect(openIn(run, [shown])).toEqual([]);
    expect(openIn(run, [fileOf(shown.path, 'other')])).toEqual([shown.path]);
    expect(openIn(run, [{ ...shown, mode: '100755' }])).toEqual([shown.path]);
  });

  test('a file outside the scope in finished work, too', () => {
    const run = startRun({ freshVerification: true, task: { scope: ['app/**'] } }).turn({
      report: { status: 'implemented', summary: 'done' },
      verification: PASSING,
      work: {
        digest: 'd',
        files: 1,
        problems: [{ path: shown.path, why: 'out_of_scope', digest }],
        secrets: [],
      },
    });
    run.say('/approve');
    expect(run.state.approved_files).toEqual([{ path: shown.path, digest }]);
    expect(openIn(run, [fileOf(shown.path, 'other')])).toEqual([shown.path]);
  });

  test('a typed path covers later content of exactly that path', () => {
    const run = ask({ path: shown.path, digest });
    run.say(`/approve paths=${shown.path}`);
    expect(openIn(run, [fileOf(shown.path, 'other'), fileOf('lib/b.ts', 'x')])).toEqual(['lib/b.ts']);
  });

  test.each([{ digest: digestOfFile(fileOf(CI, 'evil'), hash) }, {}])(
    'what a job claims to have shown of a workflow approves nothing that is committed: %j',
    (claimed) => {
      const run = ask({ path: CI, diff: '+harmless', ...claimed });
      run.say('/approve');
      expect(openIn(run, [fileOf(CI, 'evil')])).toEqual([CI]);
    },
  );
});

test('S-7: every reason is kept, so that a workflow is never asked about as a file outside the scope alone', () => {
  const changeset = { base_sha: 'a'.repeat(40), files: [fileOf(CI, 'x')], left_out: [] };
  const limits = { protectedPaths: [], approvedPaths: [], scope: ['app/**'], maxFiles: 'off' as const };
  expect(examineWork(changeset, 'digest', limits, [], hash).problems).toMatchObject([
    { path: CI, why: 'workflow', reasons: ['out_of_scope', 'workflow'] },
  ]);
});

test.each([
  ['CODEOWNERS', 'owners'],
  ['src/docs/CODEOWNERS', 'owners'],
  ['src/AGENTS.md', 'agent_config'],
  ['.claude/settings.json', 'agent_config'],
  ['.mcp.json', 'agent_config'],
])('S-7: %s needs approval inside the scope and without one, bound to its content', (path, reason) => {
  const changeset = { base_sha: 'a'.repeat(40), files: [fileOf(path, 'obey me')], left_out: [] };
  const limits = { protectedPaths: [], approvedPaths: [], maxFiles: 'off' as const };
  for (const scope of [undefined, ['**'], ['src/**', '.claude/**', '.mcp.json', 'CODEOWNERS']]) {
    const work = examineWork(changeset, 'd', { ...limits, scope }, [], hash);
    expect(work.problems).toMatchObject([{ path, why: 'protected', reasons: [reason] }]);
  }
  const work = examineWork(changeset, 'd', limits, [], hash);
  const run = startRun({ freshVerification: true }).turn({
    report: { status: 'implemented', summary: 'done' },
    verification: PASSING,
    work,
  });
  expect(run.asked).toMatchObject({ type: 'scope_drift', headers: ['Approval Needed'] });
  run.say('/approve');
  expect(openIn(run, changeset.files)).toEqual([]);
  expect(openIn(run, [fileOf(path, 'obey me instead')])).toEqual([path]);
});
