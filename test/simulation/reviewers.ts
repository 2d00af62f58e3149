import { UPDATE_BOX } from '../../src/comments/github/sections/rounds.ts';
import type { Hub } from './desk.ts';
import type { Pull } from './fake-github.ts';
import type { People } from './people.ts';
import { createRandom, type Random } from './random.ts';

/** Every so many histories have people who review. The others are as they were without them. */
const REVIEWED = 0.15;
const MOST_VISITS = 4;

/** A review that requests changes. */
export interface Requested {
  id: number;
  by: string;
}

/** People look at a pull request that is ready, and say what people say. */
export class Reviewers {
  readonly isThere: boolean;
  readonly losesSummary: boolean;
  readonly requested: Requested[] = [];
  readonly #hub: Hub;
  readonly #people: People;
  /** Of its own, so that histories without a review stay as they are. */
  readonly #random: Random;
  #visits: number;

  constructor(hub: Hub, people: People, seed: number) {
    this.#hub = hub;
    this.#people = people;
    this.#random = createRandom(seed ^ 0x2e71);
    this.isThere = this.#random.chance(REVIEWED);
    this.losesSummary = this.isThere && this.#random.chance(0.5);
    this.#visits = this.isThere ? this.#random.between(1, MOST_VISITS) : 0;
    hub.github.onReady = (pull) => this.#comeIn(3_000, 40_000, pull);
  }

  #comeIn(least: number, most: number, pull: number): void {
    if (this.#visits <= 0) return;
    this.#visits -= 1;
    this.#hub.world.after(this.#random.between(least, most), () => {
      const found = this.#hub.github.pulls.get(pull);
      if (found?.state !== 'open') return;
      this.#act(found);
      this.#comeIn(5_000, 150_000, pull);
    });
  }

  #act(pull: Pull): void {
    const { world, github } = this.#hub;
    if (this.#random.chance(0.4)) {
      this.#moveBase(pull);
      return;
    }
    const wish = this.#random.next();
    const [asks] = this.requested;
    // Without a request there is little to say about.
    if (wish < 0.45 || !asks) {
      this.#request(pull, this.#random.pick(['rosa', 'walter', 'walter', 'rita']));
      // Several within a minute are one round.
      if (this.#random.chance(0.3))
        world.after(this.#random.between(100, 50_000), () => this.#request(pull, 'rosa'));
    } else if (wish < 0.6) this.#say(pull, '/continue');
    else if (wish < 0.7) this.#say(pull, '/guide Use the other one');
    else if (wish < 0.77) this.#say(pull, '/cancel');
    else if (wish < 0.83) {
      world.log(`walter resolves a thread of ${pull.number}`);
      for (const thread of github.reviewsOf(pull).threads.slice(0, 1)) thread.is_resolved = true;
    } else if (wish < 0.87) {
      world.log(`rosa dismisses a review of ${pull.number}`);
      const { reviews } = github.reviewsOf(pull);
      for (const review of reviews) if (review.id === asks.id) review.state = 'DISMISSED';
    } else if (wish < 0.95) {
      world.log(`walter pushes to ${pull.branch}`);
      github.push(pull);
    } else {
      world.log(`rosa merges ${pull.number} meanwhile`);
      github.closePull(pull.number, true, 'rosa');
    }
  }

  /** The base moves on, and somebody wants to have it. */
  #moveBase(pull: Pull): void {
    const { world, github } = this.#hub;
    const conflicts = this.#random.chance(0.5);
    world.log(`rosa pushes to main${conflicts ? ', which conflicts' : ''}`);
    github.pushBase('rosa', conflicts);
    const by = this.#random.pick(['rosa', 'walter']);
    const isTyped = this.#random.chance(0.6);
    world.after(this.#random.between(500, 40_000), () => {
      if (github.pulls.get(pull.number)?.state !== 'open') return;
      if (isTyped || !github.tick(pull, UPDATE_BOX, by))
        return this.#people.say('/continue update', by, pull.number);
      world.log(`${by} ticks ${UPDATE_BOX} of ${pull.number}`);
    });
    // Somebody takes what is there, before there is anything.
    if (this.#random.chance(0.2))
      world.after(this.#random.between(41_000, 90_000), () => {
        this.#people.say('/pause', by, pull.number);
        world.after(this.#random.between(1_000, 10_000), () => this.#people.say('/accept', by, pull.number));
      });
    // A commit of a person while the merge is made.
    if (this.#random.chance(0.3))
      world.after(this.#random.between(10_000, 120_000), () => {
        const now = github.pulls.get(pull.number);
        if (now?.state !== 'open') return;
        world.log(`walter pushes to ${now.branch}`);
        github.push(now);
      });
  }

  #request(pull: Pull, by: string): void {
    const { world, github } = this.#hub;
    if (github.pulls.get(pull.number)?.state !== 'open') return;
    const remarks = Array.from({ length: this.#random.between(0, 2) }, (_, index) => `Remark ${index + 1}`);
    const body = remarks.length === 0 || this.#random.chance(0.3) ? 'Do it otherwise' : '';
    const { id } = github.requestChanges(pull, by, body, remarks);
    world.log(`${by} requests changes of ${pull.number} (review ${id}, ${remarks.length} remarks)`);
    this.requested.push({ id, by });
  }

  #say(pull: Pull, text: string): void {
    this.#people.say(text, this.#random.pick(['rosa', 'walter']), pull.number);
  }
}
