import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, visit } from 'yaml';
import * as z from 'zod';
import { COMMAND_NAMES, type CommandName } from './core/contracts/command.ts';
import { MENTION_NAME } from './core/contracts/comment-context.ts';
import { GUARD_IDS, type GuardLimits } from './core/contracts/guard.ts';
import { ROLES } from './core/contracts/role.ts';
import { isUsablePattern } from './core/work/path-pattern.ts';
import { checkWorktreePath } from './core/work/worktree-path.ts';
import { GuardConfig } from './guards/guard-config.ts';

const MAX_CHARACTERS = 256 * 1024;
const MAX_PROBLEMS = 20;
const FOUND_SHOWN = 80;

const positiveMinutes = z.number().positive().max(100_000);
// YAML 1.1 readers turn a bare `off` into false, and `on` into true.
const off = z.literal(['off', false]).transform((): 'off' => 'off');
const on = z.literal(['on', true]).transform((): 'on' => 'on');
const Limits = z.strictObject({
  /** How long a frozen agent is held before the job parks. */
  hold_minutes: z.number().nonnegative().max(360).default(5),
  turn_minutes: positiveMinutes.default(30),
  check_minutes: positiveMinutes.default(15),
});
const Waiting = z.strictObject({
  remind_minutes: positiveMinutes.default(240),
  remind_high_minutes: positiveMinutes.default(60),
  /** A run that waits for a person for longer ends by itself. */
  expire_minutes: z.union([positiveMinutes, off]).default('off'),
});
const role = z.enum(ROLES).optional();
const Roles = z.strictObject(
  Object.fromEntries(COMMAND_NAMES.map((name) => [name, role])) as Record<CommandName, typeof role>,
);
const Notify = z.strictObject({
  mention: z.array(z.string().regex(MENTION_NAME)).max(10).default([]),
  webhook: z.union([on, off]).default('on'),
});
const AGENT_NAME = /^[a-z0-9][a-z0-9-]{0,39}$/;
const AgentEntry = z.strictObject({ command: z.array(z.string().min(1)).min(1) });

/** `.github/autobuild.yml`. Every key has a default, so an empty file is a valid one. */
const ConfigFile = z.strictObject({
  agent: z.string().regex(AGENT_NAME).optional(),
  agents: z.record(z.string().regex(AGENT_NAME), AgentEntry).default({}),
  verify: z.array(z.string().min(1)).min(1).max(20).optional(),
  junit: z.array(z.string().min(1)).default([]),
  scope: z.array(z.string().min(1)).min(1).optional(),
  known_errors: z.array(z.string().min(1)).default([]),
  state_dir: z
    .string()
    .refine((path) => checkWorktreePath(path).ok)
    .default('.autobuild'),
  max_turns: z.union([z.number().int().min(1).max(1000), off]).optional(),
  limits: Limits.prefault({}),
  waiting: Waiting.prefault({}),
  roles: Roles.prefault({}),
  protected_paths: z.array(z.string().refine(isUsablePattern)).max(100).default([]),
  ci: z.enum(['skip', 'always']).default('skip'),
  notify: Notify.prefault({}),
  guards: GuardConfig,
});

const POSITIVE_MINUTES = 'minutes, a number above 0 and at most 100000';
const LIST = (of: string) => `a list of ${of}`;

/** What each key takes, in the words of the error; `*` is any name. The guards say it themselves. */
const ALLOWED: Record<string, string> = {
  '': 'a mapping of keys to values',
  agent: 'the name of an agent: small letters, digits and dashes',
  agents: 'a map of agent names to `{command: [PROGRAM, ARGUMENT, …]}`',
  'agents.*': 'a name of small letters, digits and dashes, with `{command: [PROGRAM, ARGUMENT, …]}`',
  'agents.*.command': LIST('at least one text: the program and its arguments'),
  verify: LIST('1 to 20 shell commands'),
  junit: LIST('paths or globs of JUnit files'),
  scope: LIST('at least one path, glob or module name'),
  known_errors: LIST('error messages, or parts of them'),
  state_dir: 'a directory inside the repository, such as `.autobuild`',
  max_turns: 'a whole number from 1 to 1000, or `off`',
  limits: `a map with ${Object.keys(Limits.shape).join(', ')}`,
  'limits.hold_minutes': 'minutes, a number from 0 to 360',
  'limits.turn_minutes': POSITIVE_MINUTES,
  'limits.check_minutes': POSITIVE_MINUTES,
  waiting: `a map with ${Object.keys(Waiting.shape).join(', ')}`,
  'waiting.remind_minutes': POSITIVE_MINUTES,
  'waiting.remind_high_minutes': POSITIVE_MINUTES,
  'waiting.expire_minutes': `${POSITIVE_MINUTES}, or \`off\``,
  roles: `a map of commands (${COMMAND_NAMES.join(', ')}) to roles`,
  'roles.*': `${ROLES.slice(0, -1).join(', ')} or ${ROLES.at(-1)}`,
  protected_paths: LIST(
    'at most 100 paths or globs inside the repository, such as `migrations/**`, with at most 5 stars each',
  ),
  ci: '`skip` or `always`',
  notify: `a map with ${Object.keys(Notify.shape).join(', ')}`,
  'notify.mention': LIST('at most 10 GitHub logins or `organisation/team`, without the @'),
  'notify.webhook': '`on` or `off`',
};

/** Keys whose own keys are names. */
const NAMED: ReadonlySet<PropertyKey | undefined> = new Set(['agents', 'roles']);

const KNOWN_KEYS: Record<string, readonly string[]> = {
  '': Object.keys(ConfigFile.shape),
  'agents.*': Object.keys(AgentEntry.shape),
  limits: Object.keys(Limits.shape),
  waiting: Object.keys(Waiting.shape),
  roles: COMMAND_NAMES,
  notify: Object.keys(Notify.shape),
  guards: GUARD_IDS,
};

export interface Config extends Omit<z.infer<typeof ConfigFile>, 'max_turns' | 'guards'> {
  guards: GuardLimits;
}

/** One mistake in the file: where, what was found, what is allowed. Without a value to show, `allowed` says what is wrong. */
export interface ConfigProblem {
  line?: number;
  key: string;
  found?: string;
  allowed: string;
}

export type ReadConfig = { ok: true; config: Config } | { ok: false; problems: ConfigProblem[] };

type LineOf = (path: PropertyKey[]) => number | undefined;

export function readConfig(text: string): ReadConfig {
  if (text.length > MAX_CHARACTERS) {
    const found = `${text.length} characters`;
    return refuse([{ key: 'the file', found, allowed: `at most ${MAX_CHARACTERS} characters` }]);
  }
  const read = readYaml(text);
  if (!read.ok) return refuse(read.problems);
  const parsed = ConfigFile.safeParse(read.value);
  if (parsed.success) {
    const early = expiresUnreminded(parsed.data.waiting, read.lineOf);
    return early ? refuse([early]) : joinTurnLimits(parsed.data, read.value, read.lineOf);
  }
  return refuse(parsed.error.issues.flatMap((issue) => describeIssue(issue, read.value, read.lineOf)));
}

export function defaultConfig(): Config {
  const read = readConfig('');
  if (!read.ok) throw new Error('The defaults are not a valid config.');
  return read.config;
}

export function describeProblem({ line, key, found, allowed }: ConfigProblem): string {
  const where = line ? `line ${line}, ` : '';
  return `${where}${key}: ${found === undefined ? allowed : `found ${found}, allowed: ${allowed}`}`;
}

function refuse(problems: ConfigProblem[]): ReadConfig {
  return { ok: false, problems: problems.slice(0, MAX_PROBLEMS) };
}

/** Nobody's run ends without a word before: people are reminded at least once. */
function expiresUnreminded(waiting: z.infer<typeof Waiting>, lineOf: LineOf): ConfigProblem | undefined {
  const { expire_minutes, remind_minutes, remind_high_minutes } = waiting;
  const latest = Math.max(remind_minutes, remind_high_minutes);
  if (expire_minutes === 'off' || expire_minutes > latest) return undefined;
  const names = 'waiting.remind_minutes and waiting.remind_high_minutes';
  const allowed = `more than ${names} (${latest}), so that a reminder comes first; or \`off\``;
  const path = ['waiting', 'expire_minutes'];
  return { line: lineOf(path), key: path.join('.'), found: show(expire_minutes), allowed };
}

/** `max_turns` and `guards.max_iterations` are one limit under two names. */
function joinTurnLimits(data: z.infer<typeof ConfigFile>, value: unknown, lineOf: LineOf): ReadConfig {
  const { max_turns, guards, ...rest } = data;
  if (max_turns === undefined) return { ok: true, config: { ...rest, guards } };
  const given = (value as { guards?: object }).guards;
  if (given && Object.hasOwn(given, 'max_iterations') && guards.max_iterations !== max_turns) {
    const allowed = `the same value as guards.max_iterations (${String(guards.max_iterations)}), or only one of the two`;
    return refuse([{ line: lineOf(['max_turns']), key: 'max_turns', found: show(max_turns), allowed }]);
  }
  return { ok: true, config: { ...rest, guards: { ...guards, max_iterations: max_turns } } };
}

function describeIssue(issue: z.core.$ZodIssue, value: unknown, lineOf: LineOf): ConfigProblem[] {
  const place = placeOf(issue.path);
  if (issue.code === 'unrecognized_keys') {
    const known = KNOWN_KEYS[place] ?? [];
    return issue.keys.slice(0, MAX_PROBLEMS).map((key) => ({
      line: lineOf([...issue.path, key]),
      key: [...issue.path, key].map(String).join('.'),
      allowed: suggest(key, known),
    }));
  }
  const found = issue.path.reduce<unknown>((at, part) => (at as Record<PropertyKey, unknown>)?.[part], value);
  return [
    {
      line: lineOf(issue.path),
      key: issue.path.map(String).join('.') || 'the file',
      found: show(found),
      allowed: ALLOWED[place] ?? issue.message,
    },
  ];
}

/** A path as the tables above name it: without the positions in lists, and with `*` for the names people choose. */
function placeOf(path: readonly PropertyKey[]): string {
  return path
    .filter((part) => typeof part !== 'number')
    .map((part, index, names) => (index === 1 && NAMED.has(names[0]) ? '*' : String(part)))
    .join('.');
}

function show(value: unknown): string {
  const text = value === undefined ? 'nothing' : (JSON.stringify(value) ?? String(value));
  return text.length > FOUND_SHOWN ? `${text.slice(0, FOUND_SHOWN)}…` : text;
}

function suggest(key: string, known: readonly string[]): string {
  const near = known.find((name) => isOneSlipAway(key, name)) ?? known.find((name) => isBeginning(key, name));
  return near ? `not a key; did you mean ${near}?` : `not a key; known are ${known.join(', ')}`;
}

/** One letter added, left out, replaced, or swapped with its neighbour. */
function isOneSlipAway(a: string, b: string): boolean {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  const [restA, restB] = [a.slice(at), b.slice(at)];
  return (
    restA.slice(1) === restB.slice(1) ||
    restA === restB.slice(1) ||
    restA.slice(1) === restB ||
    (restA[0] === restB[1] && restA[1] === restB[0] && restA.slice(2) === restB.slice(2))
  );
}

function isBeginning(key: string, name: string): boolean {
  return key.length > 3 && (name.startsWith(key) || key.startsWith(name));
}

type ReadYaml = { ok: true; value: unknown; lineOf: LineOf } | { ok: false; problems: ConfigProblem[] };

/** Plain YAML only: no aliases, each key once. */
function readYaml(text: string): ReadYaml {
  const lines = new LineCounter();
  // The parser's own check for repeated keys takes time to the square of their number.
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: false, prettyErrors: false });
  const lineAt = (node: { range?: readonly number[] | null }) => lines.linePos(node.range?.[0] ?? 0).line;
  const problems: ConfigProblem[] = document.errors.map((error) => ({
    line: lines.linePos(error.pos[0]).line,
    key: 'the file',
    allowed: `YAML: ${error.message.split('\n')[0]}`,
  }));
  visit(document, {
    Alias(_key, node) {
      const allowed = `no YAML aliases; write the value of *${node.source} out`;
      problems.push({ line: lineAt(node), key: 'the file', allowed });
    },
    Map(_key, node) {
      const seen = new Set<unknown>();
      for (const { key } of node.items) {
        const name = isScalar(key) ? String(key.value) : undefined;
        if (name === undefined) {
          problems.push({ line: lineAt(node), key: 'the file', allowed: 'keys that are plain names' });
        } else if (seen.has(name)) {
          problems.push({ line: lineAt(key as Node), key: name, allowed: 'each key once' });
        }
        seen.add(name);
      }
    },
  });
  if (problems.length > 0) return { ok: false, problems };
  const lineOf: LineOf = (path) => {
    const node = nearestNode(document.contents, path);
    return node?.range ? lineAt(node) : undefined;
  };
  return { ok: true, value: document.toJS() ?? {}, lineOf };
}

/** The deepest node of the path that exists, for its line: a missing key is reported where its parent stands. */
function nearestNode(root: unknown, path: PropertyKey[]): Node | undefined {
  let node = root;
  let nearest = (root as Node | null) ?? undefined;
  for (const part of path) {
    if (isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(part));
      if (!pair) return nearest;
      nearest = pair.key as Node;
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(part)];
      if (node) nearest = node as Node;
    } else return nearest;
  }
  return nearest;
}
