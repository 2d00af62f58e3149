import { expect, test } from 'vitest';
import type { HelpBlock } from '../../../src/runner/output/help-scanner.ts';
import { createHelpScanner } from '../../../src/runner/output/help-scanner.ts';
import { limitHelpBlocks, MAX_HELP_BLOCKS } from '../../../src/runner/output/limit-help-blocks.ts';

test('P-1: of a flood of blocks the first are passed on and the others counted', () => {
  const passed: HelpBlock[] = [];
  const limit = limitHelpBlocks((block) => passed.push(block));
  const scanner = createHelpScanner(limit.pass);
  for (let number = 0; number < 100_000; number += 1)
    scanner.feed(`<<<NEED_HELP>>>${number}<<<END_HELP>>>\n`);
  scanner.end();
  expect(passed.map(({ text }) => text)).toEqual(Array.from({ length: MAX_HELP_BLOCKS }, (_, n) => `${n}`));
  expect(limit.describeLeftOut()).toBe(
    'The agent printed 100000 help blocks in one turn. Only the first 20 were read.',
  );
});

test('P-1: of a flood on one line the first is passed on, up to its cap, and the others are mentions or its text', () => {
  const passed: HelpBlock[] = [];
  let mentions = 0;
  const limit = limitHelpBlocks((block) => passed.push(block));
  const scanner = createHelpScanner(limit.pass, {
    onMention: () => {
      mentions += 1;
    },
  });
  for (let number = 0; number < 100_000; number += 1) scanner.feed(`<<<NEED_HELP>>>${number}<<<END_HELP>>>`);
  scanner.end();
  expect(passed).toEqual([{ text: '0', closed: true }]);
  expect(mentions).toBe(99_999);
  expect(limit.describeLeftOut()).toBeUndefined();
  for (let number = 0; number < 100_000; number += 1) scanner.feed('<<<NEED_HELP>>>');
  scanner.end();
  expect(passed).toHaveLength(2);
  expect(passed[1]).toMatchObject({ closed: false });
});

test('P-8: as many blocks as the limit are all passed on, and nothing is said', () => {
  let passed = 0;
  const limit = limitHelpBlocks(() => {
    passed += 1;
  });
  for (let number = 0; number < MAX_HELP_BLOCKS; number += 1) limit.pass({ text: 'x', closed: true });
  expect(passed).toBe(MAX_HELP_BLOCKS);
  expect(limit.describeLeftOut()).toBeUndefined();
});
