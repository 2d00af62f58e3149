import { expect, test } from 'vitest';
import { GENERATED, readCurrent } from '../scripts/generate.ts';

test.each(GENERATED)('$file is what `npm run generate` writes', (generated) => {
  const current = readCurrent(generated);
  expect(current).toBe(generated.render(current));
});
