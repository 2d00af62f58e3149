import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { deriveKeys } from '../src/store/ref/keys.ts';
import { openRefStore, type RefStore } from '../src/store/ref/ref-store.ts';
import { startRun } from '../test/core/run-builder.ts';
import { createRandom } from '../test/simulation/random.ts';
import { createMemoryRefStorage } from '../test/store/ref/memory-ref-storage.ts';
import type { Figure } from './figure.ts';
import { withScratchDirectory } from './scratch-directory.ts';
import { median, round } from './statistics.ts';

const TURNS = 40;
const QUESTION_EVERY = 8;
const ROUNDS = 15;
/** A changeset of usual size. It is compressed and sealed before it comes to the store, so it does not shrink. */
const CHANGESET_BYTES = 20_000;
const REPOSITORY = { id: 77, name: 'alice/demo' };

const WORDS = 'token expiry refused login session cookie test fails header parser queue retry timeout'.split(
  ' ',
);

export const refState: Figure = {
  id: 'ref-state',
  title: `kilobytes on the ref after ${TURNS} turns, for a desk without a server`,
  bar: 80,
  unit: 'kB',
  better: 'lower',
  measure: () => withScratchDirectory(measure),
};

async function measure(root: string) {
  const storage = createMemoryRefStorage();
  const keys = deriveKeys({ stateKey: 'k'.repeat(44), modelKey: 'm', repository: REPOSITORY });
  let run = 0;
  const open = async (): Promise<RefStore> => {
    run += 1;
    const directory = join(root, `desk-${run}`);
    await mkdir(directory);
    return openRefStore({
      storage,
      repository: REPOSITORY,
      issue: 7,
      keys,
      holder: { run, attempt: 1, part: 'desk' },
      isOver: async () => false,
      now: Date.now,
      sleep: () => Promise.reject(new Error('the ref is not free')),
      directory,
    });
  };
  const stateBytes = () => {
    const [tip] = storage.tips.values();
    return storage.blobs.get(tip?.entries.state ?? '')?.length ?? Number.NaN;
  };

  const first = await open();
  await first.release();
  const fresh = stateBytes();
  const desk = await open();
  const journal = playTurns();
  for (const [version, commit] of journal.entries()) await desk.store.runs.commit('r1', version, commit);
  await desk.save();
  const withoutWork = stateBytes();
  await desk.store.blobs.put('r1', 'changeset', noise(CHANGESET_BYTES));
  await desk.release();
  const value = stateBytes();

  const times: Record<'open' | 'save' | 'release', number[]> = { open: [], save: [], release: [] };
  const timed = async <Result>(what: keyof typeof times, work: () => Promise<Result>): Promise<Result> => {
    const before = process.cpuUsage();
    const result = await work();
    const { user, system } = process.cpuUsage(before);
    times[what].push((user + system) / 1000);
    return result;
  };
  for (let turn = 0; turn < ROUNDS; turn += 1) {
    const opened = await timed('open', open);
    await opened.store.probe();
    await timed('save', opened.save);
    await opened.store.vault.put('r2', 'round', String(turn));
    await timed('release', () => opened.release());
  }
  const cpu = Object.entries(times).map(([what, all]) => [`${what}_cpu_ms`, round(median(all), 1)]);
  return {
    value: round(value / 1000, 1),
    detail: {
      new_kb: round(fresh / 1000, 1),
      without_changeset_kb: round(withoutWork / 1000, 1),
      commits: journal.length,
      ...Object.fromEntries(cpu),
    },
  };
}

/** A run that reports in sentences, fails its checks with one error or another, and asks now and then. */
function playTurns() {
  const random = createRandom(7);
  const sentence = (words: number) =>
    Array.from({ length: words }, () => `${random.pick(WORDS)}${random.between(0, 100)}`).join(' ');
  const guards = { max_iterations: 1_000, loop_detected: 'off', no_test_improvement_after: 'off' };
  const run = startRun({ guards, task: { body: sentence(200) } });
  for (let turn = 1; run.state.turn < TURNS && turn <= 2 * TURNS; turn += 1) {
    if (run.state.pending) run.say(`/guide ${sentence(20)}`);
    run.turn({ report: { status: 'in_progress', summary: sentence(30) }, exit: `exit ${turn % 3}` });
    if (turn % QUESTION_EVERY !== 0 || run.state.pending) continue;
    run.beginTurn().askForHelp([{ key: 'colour', label: sentence(5) }], sentence(40));
    run.say(`/guide ${sentence(30)}`);
    run.endTurn({ report: { status: 'in_progress', summary: sentence(30) } });
  }
  if (run.state.turn < TURNS) throw new Error(`The run stopped at turn ${run.state.turn}.`);
  return run.commits;
}

function noise(bytes: number): Uint8Array {
  const random = createRandom(11);
  return Uint8Array.from({ length: bytes }, () => random.between(0, 256));
}
