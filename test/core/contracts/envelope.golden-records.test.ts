import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Answer } from '../../../src/core/contracts/answer.ts';
import { Brief } from '../../../src/core/contracts/brief.ts';
import { Claim, Envelope } from '../../../src/core/contracts/envelope.ts';
import { Orders } from '../../../src/core/contracts/orders.ts';
import { RunEvent } from '../../../src/core/contracts/run-event.ts';
import type { RunState } from '../../../src/core/contracts/run-state.ts';
import { decide } from '../../../src/core/decide/decide.ts';
import { evolve, foldRun } from '../../../src/core/decide/evolve.ts';
import { RULES } from '../../../src/guards/rules.ts';
import { readJournal } from '../../../src/store/file.ts';
import { roundTrip } from '../run-builder.ts';
import { tellStory } from './contract-story.ts';

/** What passes between desk and job, and what stands in journals: a change here breaks jobs and journals that are out there. */

const folder = join(import.meta.dirname, '../..', 'golden', 'contracts');
const golden = (name: string) => join(folder, name);
const asJson = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
const story = tellStory();
const claimTypes = Claim.options.map((option) => option.shape.type.value);
const orderKinds = Orders.options.map((option) => option.shape.do.value);

describe('records made today are the golden ones', () => {
  test.each(claimTypes)('envelope-%s.json', async (type) => {
    expect(story.envelopes[type]).toBeDefined();
    await expect(asJson(story.envelopes[type])).toMatchFileSnapshot(golden(`envelope-${type}.json`));
  });

  test.each(orderKinds)('orders-%s.json', async (kind) => {
    expect(story.orders[kind]).toBeDefined();
    await expect(asJson(story.orders[kind])).toMatchFileSnapshot(golden(`orders-${kind}.json`));
  });

  test('brief.json, answer.json', async () => {
    await expect(asJson(story.brief)).toMatchFileSnapshot(golden('brief.json'));
    await expect(asJson(story.answer)).toMatchFileSnapshot(golden('answer.json'));
  });

  test('journal.jsonl, and the state it folds to', async () => {
    const lines = story.run.commits.map((commit) => JSON.stringify({ v: 1, ...commit }));
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(golden('journal.jsonl'));
    await expect(asJson(story.run.state)).toMatchFileSnapshot(golden('state.json'));
  });

  test('the journal holds every event there is, but the one only older journals have', () => {
    const seen = new Set(story.run.events.map((event) => event.type));
    const all = RunEvent.options.map((option) => option.shape.type.value);
    expect(all.filter((type) => !seen.has(type))).toEqual([
      'verification_requested',
      'verification_dropped',
      'verification_reported',
      'pull_request_closed',
      'pull_request_reopened',
      'revision_asked',
      'revision_dropped',
      'revisions_allowed',
      'revision_started',
      'revision_ended',
      'revision_moved',
      'ci_reported',
      'ci_answered',
      'run_judged',
    ]);
  });
});

describe('golden records are read by the code of today', () => {
  const read = (name: string): unknown => JSON.parse(readFileSync(golden(name), 'utf8'));

  test.each(claimTypes)('envelope-%s.json', (type) => {
    const envelope = Envelope.parse(read(`envelope-${type}.json`));
    expect(roundTrip(envelope)).toEqual(read(`envelope-${type}.json`));
    expect(Claim.parse({ type: envelope.type, data: envelope.data }).type).toBe(type);
  });

  test.each(orderKinds)('orders-%s.json', (kind) => {
    expect(roundTrip(Orders.parse(read(`orders-${kind}.json`)))).toEqual(read(`orders-${kind}.json`));
  });

  test('brief.json, answer.json', () => {
    expect(roundTrip(Brief.parse(read('brief.json')))).toEqual(read('brief.json'));
    expect(roundTrip(Answer.parse(read('answer.json')))).toEqual(read('answer.json'));
  });

  test('E-17: the golden journal folds to the golden state, and every decision in it is made alike', () => {
    const { commits, torn } = readJournal(readFileSync(golden('journal.jsonl')), 'journal.jsonl');
    expect(torn).toBe('');
    expect(roundTrip(foldRun(commits.flatMap((commit) => commit.events)))).toEqual(read('state.json'));
    let state: RunState | undefined;
    for (const { input, events } of commits) {
      expect(roundTrip(decide(state, input, RULES).events)).toEqual(roundTrip(events));
      for (const event of events) state = evolve(state, event);
    }
  });

  test('P-4: no golden record holds a value that was given', () => {
    const journal = readFileSync(golden('journal.jsonl'), 'utf8');
    expect(story.run.vault.size).toBe(2);
    for (const value of story.run.vault.values()) expect(journal).not.toContain(value);
  });
});
