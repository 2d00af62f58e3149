import { describe, expect, test } from 'vitest';
import { type ConfigProblem, describeProblem } from '../../src/config/config-problem.ts';
import { defaultConfig, readConfig } from '../../src/config/read-config.ts';

import { GUARDS, guardById } from '../../src/guards/registry.ts';
import { expectLinear } from '../expect-linear.ts';

const GUARD_IDS = GUARDS.map(({ id }) => id);

function problemsOf(text: string): ConfigProblem[] {
  const read = readConfig(text);
  return read.ok ? [] : read.problems;
}

function configOf(text: string) {
  const read = readConfig(text);
  if (!read.ok) throw new Error(read.problems.map(describeProblem).join('\n'));
  return read.config;
}

describe('what is right', () => {
  test.each(['', '# nothing yet\n', '---\n', '{}'])('an empty file has every default: %j', (text) => {
    expect(configOf(text)).toEqual(defaultConfig());
  });

  test('the defaults are those of the guards', () => {
    const config = defaultConfig();
    for (const id of GUARD_IDS) expect(config.guards[id]).toEqual(guardById(id).config.parse(undefined));
    expect(config).toMatchObject({
      state_dir: '.autobuild',
      limits: { hold_minutes: 5, turn_minutes: 30, check_minutes: 15 },
      waiting: { remind_minutes: 240, remind_high_minutes: 60, expire_minutes: 'off' },
      roles: {},
      protected_paths: [],
      ci: 'skip',
      notify: { mention: [], escalate_to: [], escalate_after: 2, webhook: 'on' },
    });
    expect(config.verify).toBeUndefined();
  });

  test('every key is read', () => {
    const config = configOf(`
agent: mine
agents:
  mine: {command: [./agent.sh, --fast]}
verify: [npm test, npm run lint]
junit: [reports/*.xml]
scope: [src/**]
known_errors: [deprecated]
state_dir: .state
limits: {hold_minutes: 0, turn_minutes: 0.5, check_minutes: 1}
waiting: {remind_minutes: 10, remind_high_minutes: 1, expire_minutes: 20160}
roles: {cancel: triage, approve: maintain, accept: admin}
protected_paths: [migrations/**, ./deploy/, "**/*.pem"]
ci: always
notify: {mention: [olivia, acme/web-team, mona_acme], escalate_to: [acme/leads], escalate_after: 5, webhook: off}
guards: {max_iterations: 20, cost_exceeds: 5, external_blocker: [permission_denied]}
`);
    expect(config).toMatchObject({
      agent: 'mine',
      agents: { mine: { command: ['./agent.sh', '--fast'] } },
      verify: ['npm test', 'npm run lint'],
      junit: ['reports/*.xml'],
      scope: ['src/**'],
      known_errors: ['deprecated'],
      state_dir: '.state',
      limits: { hold_minutes: 0, turn_minutes: 0.5, check_minutes: 1 },
      waiting: { remind_minutes: 10, remind_high_minutes: 1, expire_minutes: 20_160 },
      roles: { cancel: 'triage', approve: 'maintain', accept: 'admin' },
      protected_paths: ['migrations/**', './deploy/', '**/*.pem'],
      ci: 'always',
      notify: {
        mention: ['olivia', 'acme/web-team', 'mona_acme'],
        escalate_to: ['acme/leads'],
        escalate_after: 5,
        webhook: 'off',
      },
      guards: { max_iterations: 20, cost_exceeds: { dollars: 5 }, external_blocker: ['permission_denied'] },
    });
  });

  test.each(GUARD_IDS)('%s can be switched off', (id) => {
    for (const off of ['off', 'false', '"off"']) {
      expect(configOf(`guards:\n  ${id}: ${off}\n`).guards[id]).toBe('off');
    }
  });

  test('on and off are read as older YAML reads them, too', () => {
    const { waiting, notify } = configOf('waiting: {expire_minutes: false}\nnotify: {webhook: false}');
    expect([waiting.expire_minutes, notify.webhook]).toEqual(['off', 'off']);
    expect(configOf('notify: {webhook: true}').notify.webhook).toBe('on');
    expect(configOf('waiting: {expire_minutes: off}').waiting.expire_minutes).toBe('off');
  });

  test('max_turns is another name for guards.max_iterations', () => {
    expect(configOf('max_turns: 7').guards.max_iterations).toBe(7);
    expect(configOf('max_turns: off').guards.max_iterations).toBe('off');
    expect(configOf('max_turns: 7\nguards: {max_iterations: 7}').guards.max_iterations).toBe(7);
    expect(configOf('max_turns: off\nguards: {max_iterations: false}').guards.max_iterations).toBe('off');
    expect(configOf('guards: {max_iterations: 7}').guards.max_iterations).toBe(7);
    expect(problemsOf('guards:\n  max_iterations: 8\nmax_turns: 7')).toEqual([
      {
        line: 3,
        key: 'max_turns',
        found: '7',
        allowed: 'the same value as guards.max_iterations (8), or only one of the two',
      },
    ]);
  });
});

test('V-7: CI that starts rounds has to run by itself', () => {
  expect(configOf('revisions: {on_ci_failure: start}\nci: always').revisions.on_ci_failure).toBe('start');
  expect(configOf('ci: skip').revisions.on_ci_failure).toBe('ask');
  expect(problemsOf('ci: skip\nrevisions:\n  on_ci_failure: start')).toEqual([
    {
      line: 3,
      key: 'revisions.on_ci_failure',
      found: '"start"',
      allowed: '`start` only with `ci: always`, because CI does not run by itself otherwise; `ask` or `off`',
    },
  ]);
});

describe('what is wrong', () => {
  test.each([
    ['agent: 7', 'agent', '7', 'name of an agent'],
    ['agents: []', 'agents', '[]', 'a map of agent names'],
    ['agents:\n  x: {command: []}', 'agents.x.command', '[]', 'at least one text'],
    ['agents:\n  x: {}', 'agents.x.command', 'nothing', 'at least one text'],
    ['agents:\n  x: {command: [1]}', 'agents.x.command.0', '1', 'at least one text'],
    ['agents:\n  Big Name: {command: [x]}', 'agents.Big Name', '{"command":["x"]}', 'small letters'],
    ['verify: npm test', 'verify', '"npm test"', '1 to 20 shell commands'],
    ['verify: []', 'verify', '[]', '1 to 20 shell commands'],
    ['verify: [npm test, 2]', 'verify.1', '2', '1 to 20 shell commands'],
    ['verify:', 'verify', 'null', '1 to 20 shell commands'],
    ['junit: x', 'junit', '"x"', 'JUnit files'],
    ['scope: []', 'scope', '[]', 'at least one path'],
    ['known_errors: [""]', 'known_errors.0', '""', 'error messages'],
    ['state_dir: ../out', 'state_dir', '"../out"', 'inside the repository'],
    ['state_dir: /tmp', 'state_dir', '"/tmp"', 'inside the repository'],
    ['max_turns: many', 'max_turns', '"many"', 'a whole number from 1 to 1000, or `off`'],
    ['max_turns: 0', 'max_turns', '0', 'a whole number from 1 to 1000, or `off`'],
    ['max_turns: 1.5', 'max_turns', '1.5', 'a whole number from 1 to 1000, or `off`'],
    ['limits: 5', 'limits', '5', 'hold_minutes, turn_minutes, check_minutes'],
    ['limits:\n  hold_minutes: -1', 'limits.hold_minutes', '-1', 'from 0 to 360'],
    ['limits:\n  turn_minutes: .inf', 'limits.turn_minutes', 'Infinity', 'above 0'],
    ['limits:\n  turn_minutes: 0', 'limits.turn_minutes', '0', 'above 0'],
    ['limits:\n  check_minutes: "5"', 'limits.check_minutes', '"5"', 'above 0'],
    ['waiting: no', 'waiting', '"no"', 'remind_minutes, remind_high_minutes'],
    ['waiting:\n  remind_minutes: -1', 'waiting.remind_minutes', '-1', 'above 0'],
    ['waiting:\n  remind_high_minutes: x', 'waiting.remind_high_minutes', '"x"', 'above 0'],
    ['waiting:\n  expire_minutes: 0', 'waiting.expire_minutes', '0', 'above 0 and at most 100000, or `off`'],
    ['waiting:\n  expire_minutes: never', 'waiting.expire_minutes', '"never"', 'or `off`'],
    ['waiting:\n  expire_minutes: on', 'waiting.expire_minutes', '"on"', 'or `off`'],
    [
      'waiting:\n  expire_minutes: 240',
      'waiting.expire_minutes',
      '240',
      'remind_high_minutes (240), so that',
    ],
    [
      'waiting:\n  remind_minutes: 5\n  remind_high_minutes: 60\n  expire_minutes: 30',
      'waiting.expire_minutes',
      '30',
      '(60)',
    ],
    ['roles: triage', 'roles', '"triage"', 'a map of commands (provide, continue,'],
    ['roles:', 'roles', 'null', 'a map of commands'],
    ['roles:\n  cancel: read', 'roles.cancel', '"read"', 'triage, write, maintain or admin'],
    ['roles:\n  cancel: none', 'roles.cancel', '"none"', 'triage, write, maintain or admin'],
    ['roles:\n  help: Admin', 'roles.help', '"Admin"', 'triage, write, maintain or admin'],
    ['roles:\n  accept: [admin]', 'roles.accept', '["admin"]', 'triage, write, maintain or admin'],
    ['protected_paths: deploy', 'protected_paths', '"deploy"', 'paths or globs'],
    ['protected_paths:\n  - 7', 'protected_paths.0', '7', 'paths or globs'],
    ['protected_paths:\n  - a\n  - ""', 'protected_paths.1', '""', 'paths or globs'],
    ['protected_paths:\n  - /etc/**', 'protected_paths.0', '"/etc/**"', 'inside the repository'],
    ['protected_paths:\n  - a/../../b', 'protected_paths.0', '"a/../../b"', 'inside the repository'],
    ['protected_paths:\n  - "!docs/**"', 'protected_paths.0', '"!docs/**"', 'inside the repository'],
    ['protected_paths:\n  - a\\b', 'protected_paths.0', '"a\\\\b"', 'inside the repository'],
    ['protected_paths:\n  - a*b*c*d*e*f*', 'protected_paths.0', '"a*b*c*d*e*f*"', 'at most 5 stars'],
    ['ci: sometimes', 'ci', '"sometimes"', '`skip` or `always`'],
    ['ci: off', 'ci', '"off"', '`skip` or `always`'],
    ['notify: olivia', 'notify', '"olivia"', 'mention, escalate_to, escalate_after, webhook'],
    ['notify:\n  webhook: https://chat', 'notify.webhook', '"https://chat"', '`on` or `off`'],
    ['notify:\n  mention: olivia', 'notify.mention', '"olivia"', 'GitHub logins'],
    ['notify:\n  mention: ["@olivia"]', 'notify.mention.0', '"@olivia"', 'without the @'],
    ['notify:\n  mention: [a, "b c"]', 'notify.mention.1', '"b c"', 'GitHub logins'],
    ['notify:\n  mention: ["a\\n@b"]', 'notify.mention.0', '"a\\n@b"', 'GitHub logins'],
    ['notify:\n  mention: [a/b/c]', 'notify.mention.0', '"a/b/c"', 'organisation/team'],
    ['notify:\n  mention: ["a)[x](http://y"]', 'notify.mention.0', '"a)[x](http://y"', 'GitHub logins'],
    ['guards: 5', 'guards', '5', 'a map of guard ids'],
    ['guards:\n  external_blocker: [sadness]', 'guards.external_blocker', '["sadness"]', 'permission_denied'],
  ])('%j names the line, the key, the value and what is allowed', (text, key, found, allowed) => {
    const [problem, ...others] = problemsOf(`# a comment first\n${text}\n`);
    expect(others).toEqual([]);
    expect(problem).toMatchObject({ key, found });
    expect(problem?.allowed).toContain(allowed);
    expect(problem?.line).toBe(1 + text.split('\n').length);
    expect(describeProblem(problem ?? expect.fail())).toBe(
      `line ${problem?.line}, ${key}: found ${found}, allowed: ${problem?.allowed}`,
    );
  });

  test.each(GUARD_IDS)('a bad value for %s says what that guard takes', (id) => {
    expect(problemsOf(`guards:\n  ${id}: {a: 1}`)).toEqual([
      { line: 2, key: `guards.${id}`, found: '{"a":1}', allowed: guardById(id).allowed },
    ]);
  });

  test.each([
    ['max_turn: 4', 'max_turn', 'did you mean max_turns?'],
    ['scoep: [x]', 'scoep', 'did you mean scope?'],
    ['limits: {hold: 4}', 'limits.hold', 'did you mean hold_minutes?'],
    ['guards: {max_iteration: 4}', 'guards.max_iteration', 'did you mean max_iterations?'],
    ['guards: {need_halp: on}', 'guards.need_halp', 'did you mean need_help?'],
    ['waiting: {remind_minute: 4}', 'waiting.remind_minute', 'did you mean remind_minutes?'],
    ['agents: {x: {command: [y], commnd: z}}', 'agents.x.commnd', 'did you mean command?'],
    ['role: {cancel: write}', 'role', 'did you mean roles?'],
    ['roles: {cancle: write}', 'roles.cancle', 'did you mean cancel?'],
    ['roles: {label: write}', 'roles.label', 'known are provide, continue'],
    ['notify: {mentions: [a]}', 'notify.mentions', 'did you mean mention?'],
    ['waiting: {expires: 5}', 'waiting.expires', 'known are remind_minutes'],
    ['zebra: 1', 'zebra', 'known are agent, agents, verify'],
    ['__proto__: {x: 1}', '__proto__', 'known are agent'],
    ['guards: {constructor: 1}', 'guards.constructor', 'known are external_blocker'],
  ])('the unknown key in %j is named, with what was probably meant', (text, key, allowed) => {
    const [problem] = problemsOf(text);
    expect(problem).toMatchObject({ line: 1, key });
    expect(problem?.allowed).toContain(allowed);
  });

  test('a mistake without a value reads as a sentence', () => {
    const first = (text: string) => describeProblem(problemsOf(text)[0] ?? expect.fail());
    expect(first('\n\ngaurds: {}')).toBe('line 3, gaurds: not a key; did you mean guards?');
    expect(first('scope: [a]\nscope: [b]')).toBe('line 2, scope: each key once');
  });

  test('lists of names and paths are bounded', () => {
    const many = (count: number) => JSON.stringify(Array.from({ length: count }, (_, index) => `a${index}`));
    expect(configOf(`notify: {mention: ${many(10)}}`).notify.mention).toHaveLength(10);
    expect(problemsOf(`notify: {mention: ${many(11)}}`)).toMatchObject([{ key: 'notify.mention' }]);
    expect(configOf(`protected_paths: ${many(100)}`).protected_paths).toHaveLength(100);
    expect(problemsOf(`protected_paths: ${many(101)}`)).toMatchObject([{ key: 'protected_paths' }]);
    const long = problemsOf(`protected_paths: [${'x'.repeat(300)}, "{${'a,'.repeat(80)}a}"]`);
    expect(long).toMatchObject([{ key: 'protected_paths.0' }, { key: 'protected_paths.1' }]);
  });

  test.each([
    ['aliases', 'verify: &v [npm test]\njunit: *v', 2, 'junit: no YAML aliases; write the value of *v out'],
    ['aliases below', 'agents:\n  a: &a\n    command: [x]\n  b: *a', 4, 'agents.b: no YAML aliases'],
    ['repeated keys', 'max_turns: 1\nscope: [a]\nmax_turns: 2', 3, 'max_turns: each key once'],
    [
      'repeated keys below',
      'limits:\n  hold_minutes: 1\n  hold_minutes: 2',
      3,
      'limits.hold_minutes: each key once',
    ],
    ['keys that are no names', '? [a]\n: b', 1, 'the file: keys that are plain names'],
    ['keys below that are no names', 'guards:\n  ? [a]\n  : b', 2, 'guards: keys that are plain names'],
    ['tabs', 'guards:\n\tmax_iterations: 3', 2, 'YAML: '],
    ['an open quote', 'agent: "x', 1, 'YAML: '],
    ['two documents', 'agent: x\n---\nagent: y', 2, 'YAML: '],
  ])('S-18: %s are refused with the line', (_title, text, line, allowed) => {
    const problems = problemsOf(text);
    expect(problems.length).toBeGreaterThan(0);
    expect(problems[0]?.line).toBe(line);
    expect(describeProblem(problems[0] ?? expect.fail())).toContain(allowed);
  });

  test.each(['- a', 'hello', '7', '[1, 2]'])('%j is no mapping', (text) => {
    expect(problemsOf(text)).toMatchObject([
      { line: 1, key: 'the file', allowed: 'a mapping of keys to values' },
    ]);
  });

  test.each([
    ['agent: claud', 'claude, codex, or a name under `agents`; did you mean claude?'],
    ['agent: robot', 'claude, codex, or a name under `agents`'],
    ['agent: rowboat\nagents: {robot: {command: [x]}}', 'robot, claude, codex, or a name under `agents`'],
    [
      'agent: robto\nagents: {robot: {command: [x]}}',
      'robot, claude, codex, or a name under `agents`; did you mean robot?',
    ],
    ['agent: constructor', 'claude, codex, or a name under `agents`'],
  ])('%j names no agent that is there', (text, allowed) => {
    const found = JSON.stringify(text.split(/: |\n/)[1]);
    const read = readConfig(text, ['claude', 'codex']);
    expect(read).toEqual({ ok: false, problems: [{ line: 1, key: 'agent', found, allowed }] });
    expect(readConfig(text).ok).toBe(true);
  });

  test.each([
    'agent: claude',
    'agent: mine\nagents: {mine: {command: [x]}}',
    'agents: {mine: {command: [x]}}',
    '',
  ])('%j names an agent that is there, or none', (text) => {
    expect(readConfig(text, ['claude', 'codex']).ok).toBe(true);
  });

  test('mistakes come in the order of their lines, each key once', () => {
    const text =
      'zebra: 1\nguards: {max_runtime: x}\nverify: 1\nlimits:\n  hold: 3\n  turn_minutes: no\nagent: nobody\n';
    const read = readConfig(text, ['claude']);
    expect(read.ok ? [] : read.problems.map(({ line, key }) => [line, key])).toEqual([
      [1, 'zebra'],
      [2, 'guards.max_runtime'],
      [3, 'verify'],
      [5, 'limits.hold'],
      [6, 'limits.turn_minutes'],
      [7, 'agent'],
    ]);
    const shape = readConfig('agents: []\nagent: 7', ['claude']);
    expect(shape.ok ? [] : shape.problems.map(({ line, key }) => [line, key])).toEqual([
      [1, 'agents'],
      [2, 'agent'],
    ]);
    const both = readConfig(
      'waiting: {expire_minutes: 1}\nmax_turns: 2\nguards: {max_iterations: 3}\nagent: x',
      ['y'],
    );
    expect(both.ok ? [] : both.problems.map(({ line, key }) => [line, key])).toEqual([
      [1, 'waiting.expire_minutes'],
      [2, 'max_turns'],
      [4, 'agent'],
    ]);
  });

  test('all mistakes are told at once, up to a number', () => {
    expect(problemsOf('max_turns: x\nverify: 1\nguards: {need_help: 7}')).toHaveLength(3);
    const keys = Array.from({ length: 500 }, (_, index) => `key${index}: 1`).join('\n');
    expect(problemsOf(keys)).toHaveLength(20);
  });

  test('a file that is too large is refused', () => {
    expect(problemsOf('x'.repeat(300_000))).toMatchObject([
      { key: 'the file', found: '300000 characters', allowed: 'at most 262144 characters' },
    ]);
  });

  test.each([
    ['open lists', (size: number) => '['.repeat(size)],
    ['nested items', (size: number) => '- '.repeat(size)],
    ['nested lists', (size: number) => `verify: ${'['.repeat(size)}${']'.repeat(size)}`],
    ['many keys', (size: number) => Array.from({ length: size }, (_, index) => `k${index}: 1`).join('\n')],
    ['one key many times', (size: number) => Array.from({ length: size }, () => 'same: 1').join('\n')],
    [
      'one key many times at every level',
      (size: number) => `${'{a: 1, a: '.repeat(size)}1${'}'.repeat(size)}`,
    ],
    ['one long key', (size: number) => `${'x'.repeat(size)}: 1`],
  ])('%s are refused in linear time, and never throw', (_, textOf) => {
    const refuse = (size: number) => {
      const problems = problemsOf(textOf(size));
      expect(problems.length).toBeGreaterThan(0);
      expect(problems.length).toBeLessThanOrEqual(20);
      for (const problem of problems) expect(describeProblem(problem).length).toBeLessThan(500);
    };
    expectLinear(refuse, 1_500);
    // Deeper than any stack, and near the largest file there may be.
    refuse(25_000);
  });
});
