import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { AgentMetrics } from '../../src/core/contracts/escalation.ts';
import { Trigger } from '../../src/core/contracts/guard.ts';

const OPINION =
  /confiden|certain|probab|likel|opinion|sentiment|fuzzy|quality|subjective|self_?assess|rating/i;

function keysOf(schema: unknown): string[] {
  if (Array.isArray(schema)) return schema.flatMap(keysOf);
  if (typeof schema !== 'object' || schema === null) return [];
  const properties = 'properties' in schema ? Object.keys(schema.properties as object) : [];
  return [...properties, ...Object.values(schema).flatMap(keysOf)];
}

test('E-15: no field of a trigger, of its evidence or of the metrics holds an opinion', () => {
  const keys = [Trigger, AgentMetrics].flatMap((schema) => keysOf(z.toJSONSchema(schema)));
  expect(keys).toContain('observed');
  expect(keys).toContain('pass_rates');
  expect(keys).toContain('consecutive_same_errors');
  expect(keys.filter((key) => OPINION.test(key))).toEqual([]);
});

test('E-15: no guard reads or writes one', () => {
  const folder = new URL('../../src/guards/', import.meta.url);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  expect(files.length).toBeGreaterThan(14);
  const mentioning = files.filter((file) => OPINION.test(readFileSync(new URL(file, folder), 'utf8')));
  expect(mentioning).toEqual([]);
});

test('E-18: the metrics have the names of the specification', () => {
  expect(Object.keys(AgentMetrics.shape)).toEqual([
    'consecutive_same_errors',
    'attempts_without_file_change',
    'test_runs_without_improvement',
    'files_modified_count',
  ]);
});
