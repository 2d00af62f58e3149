import type { GuardLimits } from '../core/contracts/guard.ts';
import { nearestName } from '../core/nearest-name.ts';
import { maxIterations } from '../guards/iterations.ts';
import { type ConfigProblem, showKey, showValue } from './config-problem.ts';
import type { LineOf } from './read-yaml.ts';

/** The values of a file that is valid key by key, as far as keys depend on each other. */
interface Values {
  waiting: { expire_minutes: number | 'off'; remind_minutes: number; remind_high_minutes: number };
  max_turns?: number | 'off';
  guards: GuardLimits;
  ci: 'skip' | 'always';
  revisions: { on_ci_failure: 'ask' | 'start' | 'off' };
}

/** Mistakes that no key shows alone. `given` is the file before defaults. */
export function findContradictions(values: Values, given: unknown, lineOf: LineOf): ConfigProblem[] {
  return [
    expiresUnreminded(values, lineOf),
    differentTurnLimits(values, given, lineOf),
    startsWithoutCi(values, lineOf),
  ].filter((problem) => problem !== undefined);
}

/** A run must not end by itself before people were reminded at least once. */
function expiresUnreminded({ waiting }: Values, lineOf: LineOf): ConfigProblem | undefined {
  const { expire_minutes, remind_minutes, remind_high_minutes } = waiting;
  const latest = Math.max(remind_minutes, remind_high_minutes);
  if (expire_minutes === 'off' || expire_minutes > latest) return undefined;
  const names = 'waiting.remind_minutes and waiting.remind_high_minutes';
  const allowed = `more than ${names} (${latest}), so that a reminder comes first; or \`off\``;
  const path = ['waiting', 'expire_minutes'];
  return { line: lineOf(path), key: showKey(path), found: showValue(expire_minutes), allowed };
}

/** `max_turns` is another name for the limit of this guard. */
function differentTurnLimits(
  { max_turns, guards }: Values,
  given: unknown,
  lineOf: LineOf,
): ConfigProblem | undefined {
  const isGiven = Object.hasOwn((given as { guards?: object }).guards ?? {}, maxIterations.id);
  const limit = guards[maxIterations.id];
  if (max_turns === undefined || !isGiven || limit === max_turns) return undefined;
  const allowed = `the same value as guards.${maxIterations.id} (${String(limit)}), or only one of the two`;
  return { line: lineOf(['max_turns']), key: 'max_turns', found: showValue(max_turns), allowed };
}

/** V-7: CI that starts rounds by itself has to run by itself. */
function startsWithoutCi({ ci, revisions }: Values, lineOf: LineOf): ConfigProblem | undefined {
  if (revisions.on_ci_failure !== 'start' || ci === 'always') return undefined;
  const path = ['revisions', 'on_ci_failure'];
  const allowed =
    '`start` only with `ci: always`, because CI does not run by itself otherwise; `ask` or `off`';
  return { line: lineOf(path), key: showKey(path), found: showValue('start'), allowed };
}

/** Reads the file before its types are checked, so that an unknown agent is reported together with other mistakes. */
export function findUnknownAgent(
  given: unknown,
  builtIn: readonly string[],
  lineOf: LineOf,
): ConfigProblem | undefined {
  const { agent, agents } = (given ?? {}) as { agent?: unknown; agents?: unknown };
  if (typeof agent !== 'string') return undefined;
  const own = typeof agents === 'object' && agents !== null ? Object.keys(agents) : [];
  const known = [...new Set([...own, ...builtIn])];
  if (known.includes(agent)) return undefined;
  const near = nearestName(agent, known);
  const list = `${known.join(', ')}, or a name under \`agents\``;
  const allowed = near ? `${list}; did you mean ${near}?` : list;
  return { line: lineOf(['agent']), key: 'agent', found: showValue(agent), allowed };
}
