import { afterEach, beforeEach, expect, test } from 'vitest';
import { startRun } from '../../core/run-builder.ts';
import { type AppDesk, openAppDesk } from '../app-desk.ts';

const CONVERSATION = new TextEncoder().encode('a conversation');
let desk: AppDesk;
beforeEach(async () => {
  desk = await openAppDesk();
});
afterEach(() => desk.close());

test.each([
  { answer: '/provide till=T-4711', left: 0 },
  { answer: '/guide Do without it', left: CONVERSATION.length },
])(
  'V-1: with the values that people gave goes the conversation they are in: $answer',
  async ({ answer, left }) => {
    const run = startRun({ startMs: Date.now() - 60_000 }).beginTurn();
    run.askForHelp([{ key: 'till', label: 'Till' }]);
    const { issue } = await desk.seed(run);
    await desk.olivia.comment(issue, answer);
    await desk.settle();
    await desk.store.blobs.put('r1', 'checkpoint', CONVERSATION);
    await desk.olivia.comment(issue, '/accept');
    await desk.settle();
    expect(await desk.store.blobs.get('r1', 'checkpoint')).toHaveLength(left);
  },
);
