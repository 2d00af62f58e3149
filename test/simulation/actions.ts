import type { Hub } from './desk.ts';
import { Eavesdropper } from './eavesdropper.ts';
import type { ActionsRun } from './fake-github.ts';
import { Job } from './job.ts';
import { createRandom, type Random } from './random.ts';

const GRACE_MS = 10_000;
/** In every so many histories people run jobs again that failed, some of them. The others are as they were without it. */
const RERUN = 1 / 4;
const RERUN_ONE = 0.6;

/** Actions with the concurrency group of our workflow: one run works, one waits, and a newer one replaces the one that waits. */
export class Actions {
  readonly hub: Hub;
  /** Runs whose machine works, cancelled or not. */
  readonly busy = new Set<ActionsRun>();
  #waiting: ActionsRun | undefined;
  readonly #eavesdropper: Eavesdropper;
  readonly #random: Random;
  readonly #isRerun: boolean;

  constructor(hub: Hub, seed: number) {
    this.hub = hub;
    this.#random = createRandom(seed ^ 0x66b9);
    this.#eavesdropper = new Eavesdropper(hub, seed);
    this.#isRerun = this.#random.chance(RERUN);
    hub.github.onDispatch = (run) => this.#queue(run);
    hub.github.onCancel = (run) => this.#cancel(run);
  }

  #queue(run: ActionsRun): void {
    const { world, github } = this.hub;
    world.log(`actions: run ${run.id} is queued (${run.name})`);
    if (this.#waiting) github.endRun(this.#waiting, 'cancelled');
    this.#waiting = run;
    this.#eavesdropper.overhear(run);
    world.after(world.random.between(1_000, 30_000), () => this.#next());
  }

  #next(): void {
    const { world, github } = this.hub;
    const run = this.#waiting;
    if (!run || this.busy.size > 0) return;
    this.#waiting = undefined;
    if (run.status === 'completed') return;
    run.status = 'in_progress';
    this.busy.add(run);
    const job = new Job(this.hub, run, this.hub.jobs);
    if (world.faults.happens('Actions loses a machine that works on', 0.14))
      world.after(world.random.between(2_000, 150_000), () => {
        if (job.over) return;
        world.log(`actions: run ${run.id} is LOST, its job works on`);
        job.isZombie = true;
        this.busy.delete(run);
        github.endRun(run, 'failure');
        this.#next();
      });
    void job.run().then((conclusion) => {
      world.after(world.random.between(500, 8_000), () => {
        this.busy.delete(run);
        github.endRun(run, run.cancelled ? 'cancelled' : conclusion);
        if (run.conclusion === 'failure') this.#mayRunAgain(run);
        this.#next();
      });
    });
  }

  /** Somebody presses the button for it on the page of the Actions run. */
  #mayRunAgain(run: ActionsRun): void {
    const { world } = this.hub;
    if (!this.#isRerun || !this.#random.chance(RERUN_ONE)) return;
    world.after(this.#random.between(1_000, 60_000), () => {
      if (world.faults.calm || run.status !== 'completed') return;
      world.log(`rosa runs Actions run ${run.id} again`);
      const attempt = run.attempt + 1;
      Object.assign(run, {
        attempt,
        status: 'queued',
        conclusion: null,
        cancelled: false,
        queued: world.now,
      });
      delete run.ended;
      this.#queue(run);
    });
  }

  #cancel(run: ActionsRun): unknown {
    const { world, github } = this.hub;
    run.cancelled = true;
    world.log(`actions: run ${run.id} is cancelled`);
    if (run.status === 'queued') {
      if (this.#waiting === run) this.#waiting = undefined;
      return github.endRun(run, 'cancelled');
    }
    world.after(GRACE_MS, () => {
      github.endRun(run, 'cancelled');
      this.busy.delete(run);
      this.#next();
    });
  }

  /** The machines of Actions time out. */
  endHanging(): void {
    for (const run of this.busy) this.#cancel(run);
  }
}
