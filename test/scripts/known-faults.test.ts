import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { KNOWN_FAULTS } from '../../scripts/known-faults.ts';

const ROOT = join(import.meta.dirname, '../..');

test.each(KNOWN_FAULTS)('R-2, R-13: `npm run mutants` finds the place of: $name', (fault) => {
  for (const { file, from } of [fault, ...(fault.also ?? [])]) {
    const text = readFileSync(join(ROOT, file), 'utf8');
    for (const place of [from].flat()) expect(text.split(place), place).toHaveLength(2);
  }
});

test('R-2, R-13: no two known faults are the same one', () => {
  expect(new Set(KNOWN_FAULTS.map(({ name }) => name)).size).toBe(KNOWN_FAULTS.length);
});
