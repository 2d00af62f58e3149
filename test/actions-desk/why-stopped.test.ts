import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { JOB_MINUTES, whyStopped } from '../../src/actions-desk/why-stopped.ts';
import type { Dispatch } from '../../src/core/ports/dispatches.ts';

const RUN_YML = join(import.meta.dirname, '../../.github/workflows/run.yml');
const at = (minutes: number) => new Date(Date.UTC(2026, 0, 1, 0, minutes)).toISOString();
const state = { updated_at: at(0) };

function why(
  kind: Dispatch['kind'],
  conclusions: string[],
  now: number,
  known: object = {},
  worked?: number,
) {
  const dispatch = { kind, claimed_at: at(0) } as Dispatch;
  const ms = worked === undefined ? undefined : worked * 60_000;
  return whyStopped(dispatch, { ...state, ...known }, conclusions, new Date(at(now)), ms);
}

test('N-1: the time limits are those of the workflow', () => {
  const { jobs } = parse(readFileSync(RUN_YML, 'utf8')) as {
    jobs: Record<string, { 'timeout-minutes': number }>;
  };
  for (const [job, minutes] of Object.entries(JOB_MINUTES))
    expect(jobs[job]?.['timeout-minutes']).toBe(minutes);
});

test('N-1: a job that Actions ended when its time was over is told as that, and no other one', () => {
  const limit = (minutes: number) => `the job hit its time limit of ${minutes} minutes`;
  expect(why('build', ['cancelled', 'skipped'], 356)).toBe(limit(355));
  expect(why('build', ['cancelled', 'skipped'], 200)).toBeUndefined();
  expect(why('build', ['failure', 'skipped'], 400)).toBeUndefined();
  // It waited for its machine, and a person cancelled it then.
  const late = { job_began: { at: at(300), active_ms: 0 } };
  expect(why('build', ['cancelled', 'skipped'], 400, late)).toBeUndefined();
  expect(why('build', ['cancelled', 'skipped'], 656, late)).toBe(limit(355));
  expect(why('build', ['success', 'cancelled'], 300, { updated_at: at(239) })).toBe(limit(60));
  expect(why('build', ['success', 'cancelled'], 300, { updated_at: at(280) })).toBeUndefined();
  expect(why('verify', ['skipped', 'cancelled'], 61)).toBe(limit(60));
});

test('N-1: where GitHub tells how long the job worked, it does not matter when its first word came', () => {
  const late = { job_began: { at: at(20), active_ms: 0 } };
  expect(why('build', ['cancelled', 'skipped'], 356, late)).toBeUndefined();
  expect(why('build', ['cancelled', 'skipped'], 356, late, 355)).toBe(
    'the job hit its time limit of 355 minutes',
  );
  expect(why('build', ['cancelled', 'skipped'], 356, {}, 340)).toBeUndefined();
});
