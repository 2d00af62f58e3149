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

/** Some types of escalations are the same words as guards (E-19): in their list, and where the desk itself raises one. */
const TYPE_OF_RECORD = /^ {4}type: '(?:external_blocker|need_help|review_required|loop_detected)',$/m;
const TYPES = /^export const ESCALATION_TYPES = \[\n[^\]]*\] as const;$/m;

function namedIn(text: string): string[] {
  const rest = text.replace(TYPES, '').replace(TYPE_OF_RECORD, '');
  return GUARDS.filter(({ id }) => new RegExp(`\\b${id}\\b`).test(rest)).map(({ id }) => id);
}

test.each(files)('G-13: %s names no guard', (file) => {
  expect(namedIn(readFileSync(join(source, file), 'utf8'))).toEqual([]);
});

test('G-13: a guard that is named is found, and the list of escalation types is not mistaken for one', () => {
  const types = `export const ESCALATION_TYPES = [\n  '${ESCALATION_TYPES.join("',\n  '")}',\n] as const;\n`;
  expect(namedIn(types)).toEqual([]);
  expect(namedIn(`${types}if (trigger.guard === 'need_help') return;`)).toEqual(['need_help']);
  expect(namedIn("  const escalation = {\n    type: 'external_blocker',\n  };\n")).toEqual([]);
  expect(namedIn("guard: 'external_blocker',\n")).toEqual(['external_blocker']);
  expect(namedIn('context.max_runtime_ms')).toEqual([]);
});
