import type * as z from 'zod';
import { nearestName } from '../core/nearest-name.ts';
import { type ConfigProblem, showKey, showValue } from './config-problem.ts';
import type { LineOf } from './read-yaml.ts';
import { SETTINGS } from './registry.ts';
import type { ValueRule } from './setting.ts';

const FILE: ValueRule = { allowed: 'a mapping of keys to values', keys: SETTINGS };

/** Describes at most `max` problems, because an issue about unknown keys names all of them. */
export function describeIssue(
  issue: z.core.$ZodIssue,
  { value, lineOf, max }: { value: unknown; lineOf: LineOf; max: number },
): ConfigProblem[] {
  const rule = findRule(issue.path);
  if (issue.code === 'unrecognized_keys') {
    const known = Object.keys(rule?.keys ?? {});
    return issue.keys.slice(0, max).map((key) => ({
      line: lineOf([...issue.path, key]),
      key: showKey([...issue.path, key]),
      allowed: suggestKey(key, known),
    }));
  }
  const found = issue.path.reduce<unknown>((at, part) => (at as Record<PropertyKey, unknown>)?.[part], value);
  return [
    {
      line: lineOf(issue.path),
      key: showKey(issue.path),
      found: showValue(found),
      allowed: rule?.allowed ?? issue.message,
    },
  ];
}

/** An item of a list has the rule of its list. */
function findRule(path: readonly PropertyKey[]): ValueRule | undefined {
  const names = path.filter((part) => typeof part !== 'number').map(String);
  return names.reduce<ValueRule | undefined>((rule, name) => {
    const keys = rule?.keys ?? {};
    return Object.hasOwn(keys, name) ? keys[name] : keys['*'];
  }, FILE);
}

function suggestKey(key: string, known: readonly string[]): string {
  const near = nearestName(key, known) ?? known.find((name) => isBeginning(key, name));
  return near ? `not a key; did you mean ${near}?` : `not a key; known are ${known.join(', ')}`;
}

function isBeginning(key: string, name: string): boolean {
  return key.length > 3 && (name.startsWith(key) || key.startsWith(name));
}
