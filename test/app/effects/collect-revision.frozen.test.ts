import { beforeEach, expect, test } from 'vitest';
import type { AppDesk } from '../app-desk.ts';
import { useReviseScene } from '../revise-scene.ts';

const scene = useReviseScene();
const { begin, finish, described } = scene;
const LINE = { path: 'src/login.ts', line: 1 };
const EVIL = 'Like this.\n\n```suggestion\nevil()\n```';
const HOUR_MS = 3_600_000;
let desk: AppDesk;
let pull: number;

/** A round runs, rita (who may only read) has remarked, and walter's word for the next round waits. */
beforeEach(async () => {
  ({ desk } = scene);
  pull = scene.work.number;
  await begin('/guide Use a constant');
  await unheard(() => review('rita', 'Nice.'));
  await begin();
  expect((await desk.state()).asked_revisions).toMatchObject([{ by: 'walter' }]);
});

const review = (login: string, body: string) =>
  desk.person(login).review(pull, 'COMMENT', '', [{ ...LINE, body }]);

/** What the desk reads first when the next round begins. */
async function unheard(act: () => Promise<unknown>): Promise<void> {
  desk.loseWebhooks(true);
  await act();
  await desk.settle();
  desk.loseWebhooks(false);
}

const later = () => new Date(Date.now() + HOUR_MS).toISOString();
const last = () => {
  const thread = desk.github.reviews.threads(pull).at(-1);
  const comment = thread?.comments.at(-1);
  const its = comment && desk.github.reviews.review(comment.review);
  if (!thread || !comment || !its) return expect.fail('no remark');
  return { thread, comment, its };
};

/** GitHub says that the newest remark was written then. */
function saidAt(written: string, shown = written): void {
  const { comment, its } = last();
  comment.created_at = written;
  its.submitted_at = shown;
}

/** The words that the next round is about. The clock of the desk is past all of them. */
async function nextRound(): Promise<string[] | undefined> {
  desk.clock.ms += 2 * HOUR_MS;
  await finish();
  const { revision } = await desk.state();
  return revision?.number === 3
    ? revision.remarks.map(({ author, text }) => `${author}: ${text}`)
    : undefined;
}

test('V-3: what people without the role write after a round was asked for is not in it, and stays open', async () => {
  await unheard(() => review('rita', EVIL));
  saidAt(later());
  expect(await nextRound()).toEqual(['rita: Nice.']);
  await finish({ remarks: [{ id: 'R1', result: 'declined', note: 'No.' }] });
  expect(await described()).toContain('**Address 1 open remark** (1 by rita): starts round 4.');
});

test('V-3: nor what they drafted before and submit after it', async () => {
  const before = new Date(Date.now() - HOUR_MS).toISOString();
  await unheard(() => review('rita', EVIL));
  saidAt(before, later());
  expect(await nextRound()).toEqual(['rita: Nice.']);
});

test('V-3: nor what they make of an older remark by an edit', async () => {
  const { comment } = last();
  comment.body = EVIL;
  comment.edit = { at: later(), by: comment.author };
  expect(await nextRound()).toBeUndefined();
  expect(await scene.said()).toContain('there are no open remarks');
  comment.edit.at = new Date().toISOString();
  expect((await begin())?.remarks).toMatchObject([{ author: 'rita', suggestion: { replacement: 'evil()' } }]);
});

test('V-3: nor their words below others, also if somebody with the role replies there', async () => {
  const { thread, comment } = last();
  const say = async (login: string, body: string) => {
    await unheard(() => desk.person(login).remark(pull, { replyTo: comment.id, body }));
    const at = later();
    const added = thread.comments.at(-1);
    if (!added) return expect.fail('no reply');
    Object.assign(added, { created_at: at });
    Object.assign(desk.github.reviews.review(added.review) ?? {}, { submitted_at: at });
  };
  await say('rita', EVIL);
  await say('walter', 'A constant, please.');
  expect(await nextRound()).toEqual(['walter: A constant, please.']);
  const { revision } = await desk.state();
  expect(revision?.remarks[0]?.thread_before).toEqual([{ author: 'rita', text: 'Nice.' }]);
});

test('V-2, V-3: what people with the role write until it begins is in it', async () => {
  await unheard(() => review('walter', 'And a test.'));
  saidAt(later());
  expect(await nextRound()).toEqual(['rita: Nice.', 'walter: And a test.']);
});

test('V-3: a review that waits for the next round does not move the time for the others', async () => {
  await unheard(() => review('rita', EVIL));
  saidAt(new Date(Date.now() + HOUR_MS).toISOString());
  await desk.olivia.review(pull, 'REQUEST_CHANGES', 'Do it otherwise.');
  await desk.settle();
  expect((await desk.state()).asked_revisions?.map(({ source }) => source)).toEqual(['command', 'review']);
  expect(await nextRound()).toEqual(['rita: Nice.', 'olivia: Do it otherwise.']);
});
