import type { Hub } from './desk.ts';
import type { ActionsRun } from './fake-github.ts';
import { createRandom, type Random } from './random.ts';

/** Every so many histories have one. The others are as they were without it. */
const OVERHEARD = 1 / 20;

/** Another App gets the event with the ticket, and claims it before the job does. */
export class Eavesdropper {
  readonly #hub: Hub;
  readonly #random: Random;
  readonly #isThere: boolean;

  constructor(hub: Hub, seed: number) {
    this.#hub = hub;
    this.#random = createRandom(seed ^ 0x1a8d);
    this.#isThere = this.#random.chance(OVERHEARD);
  }

  /** A job waits for its machine. */
  overhear(run: ActionsRun): void {
    if (!this.#isThere) return;
    const { world, desks } = this.#hub;
    const desk = this.#random.pick(desks);
    world.after(this.#random.between(200, 2_000), () => {
      if (desk.process.dead || run.status !== 'queued') return;
      void world.as(desk.process, () => this.#claim(desk.jobs, run));
    });
  }

  /** S-17: nobody gets the token of a job that Actions has not begun. */
  async #claim(jobs: Hub['desks'][number]['jobs'], run: ActionsRun): Promise<void> {
    const { id: actions_run_id, attempt, inputs } = run;
    const claim = { ticket: inputs.ticket, actions_run_id, attempt, nonce: 'nonce-of-an-eavesdropper' };
    const { status } = await jobs.request('/claim', { method: 'POST', body: JSON.stringify(claim) });
    this.#hub.world.log(`an eavesdropper claims Actions run ${actions_run_id}: ${status}`);
    if (status === 200 && run.status === 'queued')
      this.#hub.broken.push(`R-6: a claim of Actions run ${actions_run_id} counted before its job began`);
  }
}
