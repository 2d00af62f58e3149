import type { TestCounts } from '../../../core/contracts/verification.ts';

/** Reads the summary of one test tool; `undefined` if the output is not from that tool. */
export type TestCountReader = { name: string; read(output: string): TestCounts | undefined };

const FAILING_NAMES = 50;
const NAME_CHARS = 300;

/** The names without duplicates, in the order printed, bounded in number and length. */
export function listFailing(names: Iterable<string>): string[] {
  const unique = new Set<string>();
  for (const name of names) {
    const text = name.trim().slice(0, NAME_CHARS);
    if (text !== '') unique.add(text);
    if (unique.size >= FAILING_NAMES) break;
  }
  return [...unique];
}

/** Adds up the packages of one repository, or the checks of one verification. */
export function sumCounts(all: readonly TestCounts[]): TestCounts | undefined {
  if (all.length === 0) return undefined;
  const sum = (key: 'passed' | 'failed' | 'skipped') => all.reduce((total, counts) => total + counts[key], 0);
  return {
    passed: sum('passed'),
    failed: sum('failed'),
    skipped: sum('skipped'),
    failing: listFailing(all.flatMap((counts) => counts.failing)),
  };
}

/** Parses `2 failed | 1 passed` or `2 failed, 1 passed` into a map from word to number. */
export function readTally(text: string): Map<string, number> {
  const tally = new Map<string, number>();
  for (const part of text.split(/[|,;]/)) {
    const match = /^\s*(\d{1,9}) ([a-z]+)/i.exec(part);
    if (match?.[2]) tally.set(match[2].toLowerCase(), Number(match[1]));
  }
  return tally;
}
