import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deliver } from '../../src/actions-desk/deliver.ts';
import type { DeskParts } from '../../src/actions-desk/desk-parts.ts';
import { readEvent } from '../../src/actions-desk/read-event.ts';
import { type DeskOutputs, runDesk } from '../../src/actions-desk/run-desk.ts';
import { readMarker } from '../../src/app/upsert-comment.ts';
import { phaseOf } from '../../src/core/contracts/run-state.ts';
import { UserError } from '../../src/core/error-catalogue.ts';
import { type GitHub, GitHubError } from '../../src/core/ports/github-port.ts';
import type { RefStorage } from '../../src/core/ports/ref-storage.ts';
import { RULES } from '../../src/guards/rules.ts';
import { packOutput } from '../../src/link/job-output.ts';
import { checkpointKey, deriveKeys, workKey } from '../../src/store/ref/keys.ts';
import { LeaseLostError } from '../../src/store/ref/lease-lost-error.ts';
import { listOpenIssues } from '../../src/store/ref/list-open-issues.ts';
import { openRefStore } from '../../src/store/ref/ref-store.ts';
import { KEPT_MS, removeOldRefs } from '../../src/store/ref/remove-old-refs.ts';
import {
  type ActionsRun,
  connectGitHub,
  FakeGitHub,
  LABEL,
  OWNER,
  REPO,
  REPO_ID,
  WRITES,
} from '../simulation/fake-github.ts';
import { World } from '../simulation/world.ts';
import { createMemoryRefStorage } from '../store/ref/memory-ref-storage.ts';
import { type Left, playBuild } from './play-build.ts';

const MINUTE = 60_000;
/** `timeout-minutes` of desk and deliver. */
const JOB_MS = 10 * MINUTE;
/** Where there is one, a disk in memory: the races open some thousand databases. */
const SCRATCH = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
/** All jobs of a race are over by then. */
const MOST_SECONDS = 4 * 60 * 60;
const REPOSITORY = { id: REPO_ID, name: `${OWNER}/${REPO}` };
const KEYS = deriveKeys({ stateKey: 'k'.repeat(44), modelKey: 'a model key', repository: REPOSITORY });

/** A machine that lost its power. Every call that it would still make fails with this, and changes nothing. */
class Killed extends Error {}

const MOMENTS = ['before save', 'after save', 'after an effect', 'before release', 'at any call'] as const;
type Moment = (typeof MOMENTS)[number];

interface Outcome {
  /** Promises that were not kept, in words. */
  broken: string[];
  /** What happened, to see that the seeds are about something. */
  seen: Record<string, number>;
  trace: string[];
}

/** Each takes away something that keeps the promises. */
export interface RaceFaults {
  /** Desks take the state from others that still work. */
  withoutLease?: boolean;
  /** No desk looks for comments of ours that are there already. */
  withoutMarkers?: boolean;
  /** A desk hears its own event and nothing else. */
  withoutReading?: boolean;
}

interface StartedRun extends ActionsRun {
  event: { name: string; payload: object };
}

/**
 * One issue from its label on: people comment, answer and tick, and each event starts the jobs of the real workflow, with the real
 * code of `desk` and `deliver`. Jobs overlap as the concurrency groups allow; machines are killed, runs are dropped, the ref moves,
 * answers of GitHub are lost. The seed deals all of it. Then nothing fails any more, somebody says one more word, and what is on
 * GitHub is compared with what people said.
 */
export async function raceDesks(seed: number, faults: RaceFaults = {}): Promise<Outcome> {
  const world = new World(seed);
  const { random } = world;
  const github = new FakeGitHub(world);
  const storage = createMemoryRefStorage();
  const seen: Record<string, number> = {};
  const count = (what: string) => {
    seen[what] = (seen[what] ?? 0) + 1;
  };
  const commands: { id: number; body: string }[] = [];
  const builds: { operation: string; run: number }[] = [];
  const running = new Set<StartedRun>();
  const jobs: Promise<void>[] = [];
  const restoreTimers = world.replaceTimers();
  let isCalm = false;
  let isCancelled = false;
  const issue = github.openIssue();
  const ref = `refs/autobuild/issue-${issue}`;
  /** About the time of a call. People are as fast, so that jobs overlap. */
  const paceMs = random.pick([50, 300, 1_500]);
  const hasGroups = random.chance(0.75);

  // Actions: one job of a group works, one waits, and who waited before is dropped.
  const groups = new Map<string, { waiting?: (isDropped: boolean) => void }>();
  async function enter(name: string): Promise<(() => void) | undefined> {
    if (!hasGroups) return () => undefined;
    const group = groups.get(name);
    if (!group) groups.set(name, {});
    else {
      group.waiting?.(true);
      const isDropped = await new Promise<boolean>((go) => {
        group.waiting = go;
      });
      if (isDropped) return undefined;
    }
    return () => {
      const present = groups.get(name);
      const next = present?.waiting;
      if (!next) groups.delete(name);
      else {
        groups.set(name, {});
        next(false);
      }
    };
  }

  function start(event: StartedRun['event'], dispatched?: ActionsRun): void {
    const run = (dispatched ?? newRun()) as StartedRun;
    run.event = event;
    if (!dispatched) github.runs.push(run);
    running.add(run);
    jobs.push(
      playRun(run).finally(() => {
        running.delete(run);
        Object.assign(run, { status: 'completed', conclusion: run.cancelled ? 'cancelled' : 'success' });
        world.log(`actions: run ${run.id} has ended`);
      }),
    );
  }

  function newRun(): ActionsRun {
    const [id, at] = [github.nextId(), github.time()];
    const about = {
      name: 'autobuild',
      url: `https://github.test/actions/${id}`,
      inputs: {},
      attempt: 1,
      commit: 'c0',
    };
    return {
      id,
      ...about,
      status: 'queued',
      conclusion: null,
      created_at: at,
      updated_at: at,
      cancelled: false,
      queued: world.now,
    };
  }

  async function playRun(run: StartedRun): Promise<void> {
    const isRound = run.event.name === 'workflow_dispatch';
    const leave = await enter(isRound ? 'round' : 'desk');
    if (!leave) {
      count('dropped');
      world.log(`actions: run ${run.id} is DROPPED`);
      return;
    }
    await world.sleep(random.between(0, 3 * paceMs));
    run.status = 'in_progress';
    world.log(`actions: run ${run.id} begins with ${run.event.name}`);
    const outputs = await playPart(run, 'desk', (parts) => runDesk(parts)).finally(leave);
    if (!outputs || outputs.next === 'none') return;
    const left = await work(run, outputs);
    await world.sleep(random.between(0, paceMs));
    await playPart(run, 'deliver', (parts) => deliver(parts, left));
    if (isCalm || !random.chance(0.15)) return;
    // Somebody clicks "Re-run failed jobs".
    await world.sleep(random.between(0, 20 * paceMs));
    run.attempt += 1;
    count('delivered again');
    await playPart(run, 'deliver', (parts) => deliver(parts, left));
  }

  /** The jobs between the two parts. */
  async function work(run: StartedRun, { next, operation = '' }: DeskOutputs): Promise<Left> {
    const leave = next === 'build' ? await enter('build') : () => undefined;
    if (!leave) return { readWork: nothing, result: undefined, conclusions: ['cancelled', 'skipped'] };
    try {
      if (next === 'build') builds.push({ operation, run: run.id });
      world.log(`actions: run ${run.id} ${next}s ${operation}`);
      await world.sleep(random.between(paceMs, 40 * paceMs));
      if (run.cancelled)
        return { readWork: nothing, result: undefined, conclusions: ['cancelled', 'skipped'] };
      return await playBuild({ storage, keys: KEYS, repository: REPOSITORY, issue }, operation, {
        now: world.now,
        does: isCalm ? 'finishes' : random.pick(['asks', 'asks', 'finishes', 'works on', 'dies']),
        isVerifyOnly: next === 'verify',
      });
    } finally {
      leave();
    }
  }

  /** A part on a machine of its own, which may be killed. Undefined if it failed. */
  async function playPart<Result>(
    run: StartedRun,
    part: 'desk' | 'deliver',
    work: (parts: DeskParts) => Promise<Result>,
  ): Promise<Result | undefined> {
    const machine = createMachine(`${part} of ${run.id}`);
    const directory = mkdtempSync(join(SCRATCH, 'autobuild-race-'));
    try {
      const result = await work(partsOf(run, part, machine, directory));
      count('finished');
      return result;
    } catch (error) {
      count(nameOf(error));
      world.log(`${part} of ${run.id}: ENDS, ${error}`);
      return undefined;
    } finally {
      machine.isDead = true;
      rmSync(directory, { recursive: true, force: true });
    }
  }

  function createMachine(name: string) {
    const killedAt: Moment | undefined = !isCalm && random.chance(0.35) ? random.pick(MOMENTS) : undefined;
    const endsAt = world.now + JOB_MS;
    let [callsLeft, effectsLeft, swaps] = [random.between(1, 40), random.between(1, 7), 0];
    const machine = {
      name,
      isDead: false,
      apartMs: isCalm ? 0 : random.between(-30_000, 30_000),
      endsAt,
      die(moment: Moment): void {
        if (killedAt !== moment || machine.isDead) return;
        count(`killed ${moment}`);
        world.log(`${name}: KILLED ${moment}`);
        machine.isDead = true;
      },
      async sleep(ms: number): Promise<void> {
        if (!machine.isDead) await world.sleep(ms);
        if (world.now > endsAt) machine.isDead = true;
        if (machine.isDead) throw new Killed(name);
      },
      /** A call takes effect once, or not at all, and its answer may be lost. */
      async call<Answer>(kind: 'read' | 'write' | 'swap', act: () => Answer): Promise<Awaited<Answer>> {
        if (callsLeft-- === 0) machine.die('at any call');
        if (kind === 'swap') {
          swaps += 1;
          machine.die(swaps === 1 ? 'before save' : 'before release');
        }
        await machine.sleep(random.between(1, paceMs));
        const isFailing = !isCalm && random.chance(0.02);
        if (isFailing) throw refuse('before');
        const answer = await act();
        if (kind === 'swap' && swaps === 1) machine.die('after save');
        if (kind === 'write' && --effectsLeft === 0) machine.die('after an effect');
        await machine.sleep(random.between(1, paceMs));
        if (!isCalm && random.chance(0.02)) throw refuse('after');
        return answer;
      },
    };
    const refuse = (when: string) => {
      count(`answer lost ${when}`);
      return new GitHubError('GitHub did not answer', { status: 502 });
    };
    return machine;
  }
  type Machine = ReturnType<typeof createMachine>;

  function partsOf(
    run: StartedRun,
    part: 'desk' | 'deliver',
    machine: Machine,
    directory: string,
  ): DeskParts {
    const { name, call, sleep } = machine;
    const connected = connectGitHub((method, args) => {
      const isWrite = WRITES.has(method);
      return call(isWrite ? 'write' : 'read', () => {
        const act = github.api[method] as ((...given: readonly unknown[]) => unknown) | undefined;
        if (!act) throw new Error(`GitHub has no ${method}.`);
        if (isWrite) world.log(`${name}: ${method} ${JSON.stringify(args).slice(0, 120)}`);
        if (faults.withoutReading && method === 'comments') return [];
        if (faults.withoutMarkers && method === 'comments' && args[1] !== undefined) return [];
        return act(...args);
      });
    });
    // The desk copies the port, and a proxy has nothing to copy.
    const names = ['owner', 'repo', 'commit', ...Object.keys(github.api)] as (keyof GitHub)[];
    const port = Object.fromEntries(names.map((one) => [one, connected[one]])) as unknown as GitHub;
    const refs: RefStorage = {
      read: (one) => call('read', () => storage.read(one)),
      blob: (oid) => call('read', () => storage.blob(oid)),
      swap: (one, before, change) =>
        call('swap', async () => {
          const swapped = await storage.swap(one, before, change);
          world.log(`${name}: ${swapped ? 'saves' : 'FAILS to save'} ${change.message.slice(0, 60)}`);
          return swapped;
        }),
      list: (prefix) => call('read', () => storage.list(prefix)),
      remove: (one, before) => call('write', () => storage.remove(one, before)),
    };
    const now = () => world.now + machine.apartMs;
    const log = {
      info: () => undefined,
      warn: (fields: object, message: string) =>
        world.log(`${name}: warns: ${message} ${JSON.stringify(fields)}`),
      error: (fields: object, message: string) =>
        world.log(`${name}: ERROR: ${message} ${JSON.stringify(fields)}`),
    };
    return {
      job: {
        ...{ part, owner: OWNER, repo: REPO, repoId: REPO_ID, actionsRun: run.id, attempt: run.attempt },
        ...{ workflow: 'autobuild.yml', event: run.event, label: LABEL, defaults: { checks: [] } },
        ...{ webUrl: 'https://github.test', directory, endsAt: new Date(now() + 9.5 * MINUTE) },
        ...{ now: () => new Date(now()), sleep, log },
      },
      github: port,
      openState: (number, taking) =>
        openRefStore({
          ...taking,
          ...(faults.withoutLease && { lease: 'now' }),
          ...{ storage: refs, repository: REPOSITORY, issue: number, keys: KEYS, now, sleep, directory },
          holder: { run: run.id, attempt: run.attempt, part },
          async isOver(holder) {
            if (faults.withoutLease) return true;
            const found = await port.workflowRun(holder.run);
            const isOver = !found || found.status === 'completed' || found.attempt > holder.attempt;
            count(isOver ? 'taken over' : 'waited');
            return isOver;
          },
        }),
      openIssues: () => listOpenIssues({ storage: refs, now }),
      keptMs: KEPT_MS,
      removeOldStates: () => removeOldRefs({ storage: refs, now }),
      isTakenOver: (error) => error instanceof LeaseLostError || error instanceof Killed,
      isBusy: (error) => error instanceof UserError && error.code === 'state_busy',
      isTooLarge: (error) => error instanceof UserError && error.code === 'state_too_large',
      rules: RULES,
      agents: ['claude'],
      packOutput,
      keysFor: (number, operation) => ({
        work: workKey(KEYS, operation),
        checkpoint: checkpointKey(KEYS, number),
      }),
      secrets: KEYS.state.split(','),
      isKeyDerived: false,
    };
  }

  github.onWebhook = (name, payload) => {
    const { sender } = payload as { sender: { type: string } };
    // What the token of a workflow does starts nothing, and the condition of the workflow starts no machine for the rest.
    if (sender.type !== 'User' || readEvent({ name, payload }, LABEL).about === 'nothing') return;
    start({ name, payload });
  };
  github.onDispatch = (run) => {
    run.name = `autobuild #${run.inputs.issue} ${run.inputs.operation}`;
    start({ name: 'workflow_dispatch', payload: { inputs: run.inputs } }, run);
  };
  github.onCancel = (run) => {
    count('cancelled');
    run.cancelled = true;
  };

  function say(body: string, by = 'rosa'): void {
    world.log(`${by}: ${body}`);
    const { id } = github.write(issue, body, by);
    if (body.startsWith('/')) commands.push({ id, body });
  }

  /** False if there is no box. */
  function tick(): boolean {
    const asked = github.created.filter(({ id }) => github.comments.get(id)?.body.includes('- [ ] '));
    const question = asked.at(-1);
    if (!question) return false;
    count('ticked');
    world.log(`walter: ticks a box of ${question.id}`);
    github.edit(question.id, question.body.replace('- [ ] ', '- [x] '), 'walter');
    return true;
  }

  /** Somebody pushes the same state again, by hand. */
  function moveRef(): void {
    const tip = storage.tips.get(ref);
    if (!tip) return;
    count('moved');
    world.log('somebody MOVES the ref');
    storage.tips.set(ref, { ...tip, oid: tip.oid.split('').toReversed().join('') });
  }

  async function people(): Promise<void> {
    github.setLabel(issue, LABEL, 'rosa');
    const many = random.between(4, 9);
    for (let number = 1; number <= many; number += 1) {
      await world.sleep(random.between(0, paceMs * random.pick([1, 10, 60, 150])));
      if (random.chance(0.4) && tick()) continue;
      const act = random.next();
      if (act < 0.4) say(`/guide note ${number}`);
      else if (act < 0.55) say(`/provide key=value${number}`, 'walter');
      else if (act < 0.7) say('/continue', 'walter');
      else if (act < 0.78) say('/pause');
      else if (act < 0.84) say('/approve', 'rita');
      else if (act < 0.94) moveRef();
      else say('Any news?', 'rita');
    }
    if (random.chance(0.15)) {
      isCancelled = true;
      say('/cancel');
    }
  }

  /** The next event of the issue. */
  function speak(words: number): void {
    if (isCancelled)
      start({ name: 'workflow_dispatch', payload: { inputs: { issue: String(issue), operation: '' } } });
    else say(words === 0 ? '/guide one more' : '/continue');
  }

  const idle = () => running.size === 0;
  async function settle(work: Promise<void>): Promise<void> {
    let isDone = false;
    const done = work.finally(() => {
      isDone = true;
    });
    done.catch(() => undefined);
    for (let second = 0; second < MOST_SECONDS && !(isDone && idle()); second += 1)
      await world.runFor(1_000, () => isDone && idle());
    if (!isDone || !idle()) throw new Error(`seed ${seed}: jobs do not end`);
    await done;
    await Promise.all(jobs);
  }

  const broken: string[] = [];
  try {
    await settle(people());
    isCalm = true;
    world.faults.calm = true;
    world.log('nothing fails any more');
    for (let words = 0; words < 6; words += 1) {
      // Long enough that a job that nobody heard of is looked after.
      await world.runFor(30 * MINUTE);
      await settle((async () => speak(words))());
      if (isCancelled || [...github.pulls.values()].some(({ draft }) => !draft)) break;
    }
    await judge();
  } finally {
    restoreTimers();
  }
  return { broken, seen, trace: world.trace };

  async function judge(): Promise<void> {
    const directory = mkdtempSync(join(SCRATCH, 'autobuild-race-'));
    const opened = await openRefStore({
      ...{ storage, repository: REPOSITORY, issue, keys: KEYS, now: () => world.now, directory },
      holder: { run: 1, attempt: 1, part: 'judge' },
      isOver: async () => true,
      sleep: async () => undefined,
    });
    const { runs } = opened.store;
    const run = (await runs.ofIssue(REPO_ID, issue)) ?? '';
    const { state } = await runs.load(run);
    const journal = await runs.events(run);
    await opened.abandon();
    rmSync(directory, { recursive: true, force: true });
    const decided = journal.flatMap(({ commit: { input } }) =>
      input.type === 'command' && input.source ? [input.source] : [],
    );
    for (const { id, body } of commands) {
      const { reactions = [], author = '' } = github.comments.get(id) ?? {};
      const times = decided.filter((source) => source === `comment:${id}`).length;
      // A reaction that GitHub does not take is not tried again. Who may not command is answered in words only once.
      if (author !== 'rita' && times === 0) broken.push(`lost: ${body} (${id})`);
      if (times > 1) broken.push(`decided ${times} times: ${body} (${id})`);
      if (reactions.includes('rocket') && reactions.includes('confused'))
        broken.push(`both taken and refused: ${body} (${id})`);
    }
    for (const [op, times] of tally(github.created.map(({ body }) => readMarker(body)?.op ?? body)))
      if (times > 1) broken.push(`written ${times} times: ${op}`);
    for (const [operation, times] of tally(builds.map((build) => build.operation)))
      if (times > 1) broken.push(`built ${times} times: ${operation}`);
    for (const [operation, times] of tally(github.runs.flatMap(({ inputs }) => inputs.operation ?? [])))
      if (times > 1) broken.push(`dispatched ${times} times: ${operation}`);
    if (github.pulls.size > 1) broken.push(`${github.pulls.size} pull requests`);
    // A cancel that comes after the work is refused, and a round may have begun by then.
    const isOver = isCancelled ? state && phaseOf(state) !== 'working' : state?.status === 'reviewing';
    if (!isOver) broken.push(`stuck: ${state?.status ?? 'no run'}`);
    for (const { id } of github.created)
      if (github.comments.get(id)?.body.includes('- [x] ')) broken.push(`a tick was not heard (${id})`);
  }
}

/** Each problem begins with its seed, for `npx node test/actions-desk/replay-race.ts SEED`. */
export async function raceAll(
  first: number,
  many: number,
  faults: RaceFaults = {},
): Promise<{ broken: string[]; seen: Record<string, number> }> {
  const all: string[] = [];
  const total: Record<string, number> = {};
  for (let seed = first; seed < first + many; seed += 1) {
    const { broken, seen } = await raceDesks(seed, faults);
    all.push(...broken.map((problem) => `seed ${seed}: ${problem}`));
    for (const [what, times] of Object.entries(seen)) total[what] = (total[what] ?? 0) + times;
  }
  return { broken: all, seen: total };
}

const nothing: Left['readWork'] = () => ({ entries: [], isLastWordThere: false, skipped: {} });

function tally(items: string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return counts;
}

function nameOf(error: unknown): string {
  if (error instanceof Killed) return 'killed';
  if (error instanceof LeaseLostError) return 'lease lost';
  if (error instanceof GitHubError) return 'gave up on GitHub';
  if ((error as { code?: string }).code === 'state_busy') return 'gave up waiting';
  throw error;
}
