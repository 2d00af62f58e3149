import type * as z from 'zod';
import { nearestName } from '../core/nearest-name.ts';
import { type ConfigProblem, showKey, showValue } from './config-problem.ts';
import type { LineOf } from './read-yaml.ts';
import { SETTINGS } from './registry.ts';
import type { Place } from './setting.ts';

const FILE: Place = { allowed: 'a mapping of keys to values', keys: SETTINGS };

/** Describes at most `max` problems: an issue about unknown keys names all of them. */
export function describeIssue(
  issue: z.core.$ZodIssue,
  { value, lineOf, max }: { value: unknown; lineOf: LineOf; max: number },
): ConfigProblem[] {
  const place = findPlace(issue.path);
  if (issue.code === 'unrecognized_keys') {
    const known = Object.keys(place?.keys ?? {});
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
      allowed: place?.allowed ?? issue.message,
    },
  ];
}

/** A position in a list belongs to the place of the list. */
function findPlace(path: readonly PropertyKey[]): Place | undefined {
  const names = path.filter((part) => typeof part !== 'number').map(String);
  return names.reduce<Place | undefined>((place, name) => {
    const keys = place?.keys ?? {};
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
