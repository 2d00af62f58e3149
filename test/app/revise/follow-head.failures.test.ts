import { expect, test, vi } from 'vitest';
import { handleInput } from '../../../src/app/handle-input.ts';
import { GitHubError } from '../../../src/core/ports/github-port.ts';
import { PASSING } from '../../core/run-builder.ts';
import { giveValue, pushFiles, takeRound } from '../revise-desk.ts';
import { useReviseScene } from '../revise-scene.ts';

const scene = useReviseScene({ freshVerification: true });
const { begin, finish, git, changeset } = scene;

const STEPS = ['the work is noted as searched', 'the work is stored', 'the run knows of it'] as const;
type When = 'before' | 'after';

/** The desk is killed once, before or after it takes this step of moving work. The step is what it writes to its store. */
function kill(step: (typeof STEPS)[number], when: When): () => number {
  const { publications, blobs, runs } = scene.desk.store;
  const wait = { killed: 0 };
  const once = async <Result>(isStep: boolean, write: () => Promise<Result>) => {
    const isHit = isStep && wait.killed === 0;
    if (isHit) wait.killed += 1;
    if (isHit && when === 'before') throw new Error('killed');
    const result = await write();
    if (isHit) throw new Error('killed');
    return result;
  };
  const { change } = publications;
  const { put } = blobs;
  const { commit } = runs;
  if (step === STEPS[0])
    vi.spyOn(publications, 'change').mockImplementation((run, now) =>
      once(now.free_of_secrets?.includes(' ') === true, () => change(run, now)),
    );
  if (step === STEPS[1])
    vi.spyOn(blobs, 'put').mockImplementation((...sent) => once(isMoved(sent[2]), () => put(...sent)));
  if (step === STEPS[2])
    vi.spyOn(runs, 'commit').mockImplementation((...sent) =>
      once(sent[2].input.type === 'head_moved', () => commit(...sent)),
    );
  return () => wait.killed;
}

let pushed = '';
const isMoved = (bytes: Uint8Array) => new TextDecoder().decode(bytes).includes(`"base_sha":"${pushed}"`);

/** A round that was given a value has ended, and somebody pushed while it worked. */
async function endAfterPush(before?: () => void): Promise<void> {
  const { desk, work, branch } = scene;
  await begin('/guide Use a constant');
  const run = await giveValue(desk, work, await takeRound(desk, work.run));
  pushed = await pushFiles(desk, branch, { 'by-hand.txt': 'theirs\n' });
  before?.();
  await finish({ run });
}

async function waitAndSettle(): Promise<void> {
  scene.desk.clock.ms += 600_000;
  await scene.desk.settle();
}

/** The fresh job confirms the work on the head, and it is appended there. */
async function expectAppended(head: string): Promise<void> {
  const { desk, work, branch } = scene;
  const { status, revision, changeset: digest = '' } = await desk.state();
  expect({ status, head: revision?.head, base: (await changeset()).base_sha }).toEqual({
    ...{ status: 'building', head, base: head },
  });
  const at = new Date(desk.clock.ms).toISOString();
  await handleInput(desk.deps, 'r1', { type: 'verification', at, verification: PASSING, changeset: digest });
  await desk.settle();
  const { parents } = await git<{ parents: { sha: string }[] }>('GET', `/commits/${await work.head()}`);
  expect(parents.map(({ sha }) => sha)).toEqual([head]);
  expect(await desk.olivia.file('src/login.ts', branch)).toBe('two\n');
  expect((await desk.store.publications.of('r1')).unpublished).toBeNull();
}

test.each(STEPS.flatMap((step) => [['before', step] as const, ['after', step] as const]))(
  'R-2, V-5: a desk that is killed right %s %s: the next one moves the work, once',
  async (when, step) => {
    let killed = () => 0;
    await endAfterPush(() => {
      killed = kill(step, when);
    });
    expect(killed()).toBe(1);
    await waitAndSettle();
    await expectAppended(pushed);
    const started = (await scene.desk.store.runs.events('r1')).flatMap(({ commit }) => commit.events);
    expect(started.filter(({ type }) => type === 'revision_moved')).toHaveLength(1);
  },
);

test('R-2, V-5: killed while the work moves, and somebody pushes again meanwhile: it moves to the newest head', async () => {
  const { desk, branch } = scene;
  await endAfterPush(() => void kill('the run knows of it', 'before'));
  expect((await changeset()).base_sha).toBe(pushed);
  const newest = await pushFiles(desk, branch, { 'and-more.txt': 'theirs\n' });
  await waitAndSettle();
  await expectAppended(newest);
});

test.each(['branchHead', 'changedFiles'] as const)(
  'R-2, V-5: GitHub fails at %s: nothing is published until it answers',
  async (name) => {
    const { desk, work } = scene;
    const { github } = desk.deps;
    let failures = 0;
    await endAfterPush(() => {
      desk.deps.github = async (where) => {
        const real = await github(where);
        const fail = async () => {
          failures += 1;
          throw new GitHubError('Server Error', { status: 502 });
        };
        return failures === 0 ? { ...real, [name]: fail } : real;
      };
    });
    expect(failures).toBe(1);
    expect(await work.head()).toBe(pushed);
    await waitAndSettle();
    await expectAppended(pushed);
  },
);
