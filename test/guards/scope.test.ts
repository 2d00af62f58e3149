import { expect, test } from 'vitest';
import type { Escalation } from '../../src/core/contracts/escalation.ts';
import type { ExaminedFile, ProposedWrite, Trigger } from '../../src/core/contracts/guard.ts';
import { bindToContent } from '../../src/core/work/work-approvals.ts';
import { describeTriggers } from '../../src/guards/describe-triggers.ts';
import { growLimits, metricsOf } from '../../src/guards/observe.ts';
import { guardById } from '../../src/guards/registry.ts';
import { startRun } from '../core/run-builder.ts';
import {
  agentChanged,
  changed,
  limits,
  proposed,
  rearmed,
  statesAfter,
  times,
  triggerOf,
  triggersAfter,
} from './guard-events.ts';

const progress = { turn: 5, max_turns: 10 };
const files = (count: number) => times(count, (index) => `src/${index}.ts`);
const fileLimit = (count: number, ...paths: string[]) =>
  triggerOf(
    'files_modified_exceeds',
    paths.map((path) => proposed(path, 'file_limit', files(count))),
    limits({ files_modified_exceeds: count }),
  );
const outside = (...paths: string[]) =>
  triggerOf(
    'spec_deviation_detected',
    paths.map((path) => proposed(path, 'out_of_scope', [], ['src/auth/**'])),
  );

test.each([
  [1, 'a 2nd'],
  [2, 'a 3rd'],
  [3, 'a 4th'],
  [7, 'an 8th'],
  [10, 'an 11th'],
  [11, 'a 12th'],
  [12, 'a 13th'],
  [17, 'an 18th'],
  [20, 'a 21st'],
  [21, 'a 22nd'],
  [79, 'an 80th'],
  [100, 'a 101st'],
  [110, 'a 111th'],
])('E-5: with %i files changed the headline asks for %s', (count, next) => {
  const trigger = fileLimit(count, 'x.ts');
  expect(trigger && guardById('files_modified_exceeds').headline(trigger, progress)).toBe(
    `${count} of ${count} files changed, approve ${next}?`,
  );
});

test('E-5: approval names the new limit: one more, or the next round number', () => {
  const commands = (trigger: ReturnType<typeof fileLimit>) =>
    trigger &&
    guardById('files_modified_exceeds')
      .options(trigger, progress)
      .map((option) => option.command);
  expect(commands(fileLimit(20, 'x.ts'))).toEqual([
    '/approve files=21',
    '/approve files=30',
    '/guide Finish without changing any other file',
    '/accept',
    '/review',
    '/terminate',
  ]);
  expect(commands(fileLimit(29, 'x.ts'))?.slice(0, 2)).toEqual(['/approve files=30', '/approve files=40']);
  expect(commands(fileLimit(20, 'x.ts', 'y.ts'))?.[0]).toBe('/approve files=22');
});

test.each([{}, { files_modified_exceeds: 'off', spec_deviation_detected: 'off' }])(
  'E-5: an edit the gate never saw trips by itself, with the limits %j',
  (config) => {
    const triggers = triggersAfter([proposed('x.ts', 'gate_bypassed', files(5))], limits(config));
    expect(triggers).toMatchObject([{ guard: 'spec_deviation_detected', threshold: null, observed: 1 }]);
    expect(triggers[0]?.evidence).not.toHaveProperty('scope');
    const words = describeTriggers(triggers as [Trigger], progress);
    expect(words).toMatchObject({
      type: 'scope_drift',
      headers: ['Edited Without Asking'],
      headline: 'a file was edited without asking, approve it?',
      question: 'The agent edited x.ts without asking. The edit was reverted and saved. How to proceed?',
    });
    expect(words.options.map(({ label, command }) => [label, command])).toEqual([
      ['Approve this edit', '/approve'],
      ['Refuse it', '/guide Continue without the change to x.ts'],
      ['Accept current', '/accept'],
      ['Review', '/review'],
      ['Terminate', '/terminate'],
    ]);
  },
);

test('E-6: switched off, a file outside the scope does not trip', () => {
  const off = limits({ spec_deviation_detected: 'off' });
  expect(triggersAfter([proposed('x.ts', 'out_of_scope', [], ['src/**'])], off)).toEqual([]);
});

test('E-6: one past the gate and one outside the scope are one question with both', () => {
  const triggers = triggersAfter([
    proposed('x.ts', 'gate_bypassed'),
    proposed('docs/y.md', 'out_of_scope', [], ['src/**']),
  ]);
  const words = describeTriggers(triggers as [Trigger], progress);
  expect(words.headers).toEqual(['Outside the Scope']);
  expect(words.question).toBe(
    "The agent edited x.ts without asking. The agent wants to change docs/y.md, outside the task's scope (src/**). How to proceed?",
  );
  expect(words.options[0]?.command).toBe('/approve');
});

test('G-13: with files of two guards in one question, the box that approves them all counts them all', () => {
  const triggers = triggersAfter([
    proposed('src/21.ts', 'file_limit', files(20)),
    proposed('docs/y.md', 'out_of_scope', [], ['src/**']),
  ]);
  const { options } = describeTriggers(triggers as [Trigger], progress);
  expect(options.find(({ command }) => command === '/approve')?.label).toBe('Approve these 2 files');
});

test('G-13: a file that is protected, and not outside the scope, is not called so', () => {
  const trigger = (...whys: ('workflow' | 'protected' | 'out_of_scope')[]): Trigger => ({
    guard: 'spec_deviation_detected',
    kind: 'file_count',
    threshold: null,
    observed: whys.length,
    evidence: { proposed: whys.map((why) => ({ path: `${why}.yml`, why, held: false, finished: true })) },
  });
  const headers = (...whys: Parameters<typeof trigger>) =>
    describeTriggers([trigger(...whys)], progress).headers;
  expect(headers('workflow', 'protected')).toEqual(['Approval Needed']);
  expect(headers('workflow', 'out_of_scope')).toEqual(['Outside the Scope']);
});

test('E-10: /approve files=30 sets the limit to 30; without a number it stays', () => {
  expect(growLimits(limits(), ['files_modified_exceeds'], { files: 30 }).files_modified_exceeds).toBe(30);
  expect(growLimits(limits(), ['files_modified_exceeds'], {}).files_modified_exceeds).toBe(20);
});

test('E-5: re-arming clears what was proposed and keeps the count of files', () => {
  const events = [changed(...files(20)), proposed('x.ts', 'file_limit', files(20))];
  for (const answered of [rearmed('files_modified_exceeds'), agentChanged]) {
    expect(triggerOf('files_modified_exceeds', [...events, answered])).toBeUndefined();
    expect(metricsOf(statesAfter([...events, answered])).files_modified_count).toBe(20);
  }
  expect(triggerOf('files_modified_exceeds', [...events, rearmed('loop_detected')])).toBeDefined();
});

test('E-18: a file changed twice is one file', () => {
  expect(metricsOf(statesAfter([changed('a', 'b'), changed('b', 'c')])).files_modified_count).toBe(3);
});

test('E-6: each of the two reasons trips its own guard only', () => {
  expect(triggerOf('spec_deviation_detected', [proposed('x.ts', 'file_limit', files(20))])).toBeUndefined();
  expect(triggerOf('files_modified_exceeds', [proposed('x.ts', 'out_of_scope')])).toBeUndefined();
});

test('E-6: the options approve this path or its folder', () => {
  const trigger = outside('src/mail/receipt.ts');
  expect(
    trigger &&
      guardById('spec_deviation_detected')
        .options(trigger, progress)
        .map(({ label, command }) => [label, command]),
  ).toEqual([
    ['Approve this file', '/approve'],
    ['Approve `src/mail/**`', '/approve paths=src/mail/**'],
    ["Stay within the task's scope", '/guide Finish without changing any other file'],
    ['Accept current', '/accept'],
    ['Review', '/review'],
    ['Terminate', '/terminate'],
  ]);
});

test.each<[Partial<ProposedWrite>, ExaminedFile[], string]>([
  [{ held: true }, [], 'whatever the agent writes to it; ask again for the next file.'],
  [
    { held: false, digest: 'd' },
    [],
    'the proposed content only; ask again if it changes, and for the next file.',
  ],
  [
    { finished: true },
    [{ path: 'docs/a.md', digest: 'd' }],
    'the proposed content only; ask again if it changes, and for the next file.',
  ],
  // Told by a job, and the desk computes its own of finished work.
  [{ finished: true, digest: 'd' }, [], 'whatever the agent writes to it; ask again for the next file.'],
])('S-7: the box of a file says which content it covers: %j %j', (write, examined, description) => {
  const proposed = [{ path: 'docs/a.md', why: 'out_of_scope' as const, held: false, ...write }];
  const asked = {
    observed: 1,
    threshold: null,
    guard: 'spec_deviation_detected',
    kind: 'file_count',
  } as const;
  const { options } = describeTriggers([{ ...asked, evidence: { proposed, examined } }], progress);
  expect(options[0]).toMatchObject({ command: '/approve', description });
  const state = startRun().state;
  const question = { triggers: [{ ...asked, evidence: { proposed, examined } }] } as unknown as Escalation;
  expect(bindToContent(state, question).unbound).toEqual(
    description.startsWith('whatever') ? ['docs/a.md'] : [],
  );
});

test.each(['src/[id]/page.ts', 'a b.ts', 'x.ts,**', '**', 'a\n/cancel', '-x`.ts', 'ü.ts'])(
  'E-6: the path %j, which would mean something else in a command, is approved without being named',
  (path) => {
    const trigger = outside(path);
    const commands =
      trigger &&
      guardById('spec_deviation_detected')
        .options(trigger, progress)
        .map((option) => option.command);
    expect(commands?.filter((command) => command.startsWith('/approve'))).toEqual(['/approve']);
  },
);

test('E-6: a file at the top has no folder to approve', () => {
  const trigger = outside('package.json');
  expect(
    trigger &&
      guardById('spec_deviation_detected')
        .options(trigger, progress)
        .map((option) => option.id),
  ).not.toContain('approve-dir');
});

test('E-6: re-arming clears what was proposed', () => {
  const event = proposed('x.ts', 'out_of_scope');
  expect(triggerOf('spec_deviation_detected', [event, rearmed('spec_deviation_detected')])).toBeUndefined();
  expect(triggerOf('spec_deviation_detected', [event, rearmed('need_help')])).toBeDefined();
});
