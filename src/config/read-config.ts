import * as z from 'zod';
import type { GuardLimits } from '../core/contracts/guard.ts';
import { withRunLimit } from '../guards/observe.ts';
import type { ConfigProblem } from './config-problem.ts';
import { findContradictions, findUnknownAgent } from './contradictions.ts';
import { describeIssue } from './describe-issue.ts';
import { readYaml } from './read-yaml.ts';
import { SETTINGS } from './registry.ts';
import { schemasOf } from './setting.ts';

const MAX_CHARACTERS = 256 * 1024;
const MAX_PROBLEMS = 20;

const ConfigFile = z.strictObject(schemasOf(SETTINGS));

export interface Config extends Omit<z.infer<typeof ConfigFile>, 'max_turns' | 'guards'> {
  guards: GuardLimits;
}

export type ReadConfig = { ok: true; config: Config } | { ok: false; problems: ConfigProblem[] };

/** Reads `.github/autobuild.yml`. With `builtInAgents`, an `agent` that is neither there nor in the file is a mistake, too. */
export function readConfig(text: string, builtInAgents?: readonly string[]): ReadConfig {
  if (text.length > MAX_CHARACTERS) {
    const found = `${text.length} characters`;
    return refuse([{ key: 'the file', found, allowed: `at most ${MAX_CHARACTERS} characters` }]);
  }
  const read = readYaml(text, MAX_PROBLEMS);
  if (!read.ok) return refuse(read.problems);
  const { value, lineOf } = read;
  const parsed = ConfigFile.safeParse(value);
  const problems = parsed.success
    ? findContradictions(parsed.data, value, lineOf)
    : parsed.error.issues.flatMap((issue) => describeIssue(issue, { value, lineOf, max: MAX_PROBLEMS }));
  const unknown = builtInAgents && findUnknownAgent(value, builtInAgents, lineOf);
  if (unknown && !problems.some(({ key }) => key === unknown.key)) problems.push(unknown);
  if (!parsed.success || problems.length > 0) return refuse(problems);
  const { max_turns, guards, ...rest } = parsed.data;
  const limits = max_turns === undefined ? guards : withRunLimit(guards, 'turns', max_turns);
  return { ok: true, config: { ...rest, guards: limits } };
}

export function defaultConfig(): Config {
  const read = readConfig('');
  if (!read.ok) throw new Error('The defaults are not a valid config.');
  return read.config;
}

function refuse(problems: ConfigProblem[]): ReadConfig {
  const inOrder = problems.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));
  return { ok: false, problems: inOrder.slice(0, MAX_PROBLEMS) };
}
