import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ESCALATION_TYPES } from '../../src/core/contracts/guard.ts';
import { GUARDS } from '../../src/guards/registry.ts';

const source = join(import.meta.dirname, '../../src');
const files = ['core', 'comments'].flatMap((folder) =>
  readdirSync(join(source, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(folder, file)),
);

/** E-19's list of escalation types is the one place where some of the words may be written. */
const TYPES = /^export const ESCALATION_TYPES = \[\n[^\]]*\] as const;$/m;

function namedIn(text: string): string[] {
  const rest = text.replace(TYPES, '');
  return GUARDS.filter(({ id }) => new RegExp(`\\b${id}\\b`).test(rest)).map(({ id }) => id);
}

test.each(files)('G-13: %s names no guard', (file) => {
  expect(namedIn(readFileSync(join(source, file), 'utf8'))).toEqual([]);
});

test('G-13: a guard that is named is found, and the list of escalation types is not mistaken for one', () => {
  const types = `export const ESCALATION_TYPES = [\n  '${ESCALATION_TYPES.join("',\n  '")}',\n] as const;\n`;
  expect(namedIn(types)).toEqual([]);
  expect(namedIn(`${types}if (trigger.guard === 'need_help') return;`)).toEqual(['need_help']);
  expect(namedIn('context.max_runtime_ms')).toEqual([]);
});
