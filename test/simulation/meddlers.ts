import { readMarker } from '../../src/app/upsert-comment.ts';
import type { Hub } from './desk.ts';
import { BOT, type Comment, LABEL } from './fake-github.ts';
import { type People, REWORDED } from './people.ts';
import { createRandom, type Random } from './random.ts';

/** Every so many histories have people who meddle. The others are as they were without them. */
const MEDDLED = 1 / 6;
const MOST_VISITS = 3;
/** What is removed while things happen comes back with what is written about them. */
const MOST_REMOVALS = 9;
/** So soon after it a desk is likely to be killed between two writes of what it does about it. */
const KILLED_MS = 60_000;
/** How often somebody looks whether there is something to meddle with. */
const LOOK_AGAIN_MS = 15_000;
/** Has no role in the repository. */
const STRANGER = 'sam';
const STRANGE = ['/cancel', '/continue', '/pause', '/status', '/help', '/guide Do something else', '/retry'];

/** People without a role give commands, and others change what is ours. Often no webhook tells of it. */
export class Meddlers {
  readonly #hub: Hub;
  readonly #people: People;
  readonly #seed: number;

  constructor(hub: Hub, people: People, seed: number) {
    this.#hub = hub;
    this.#people = people;
    this.#seed = seed;
  }

  plan(troubled: number): void {
    if (!createRandom(this.#seed ^ 0x71c3).chance(MEDDLED)) return;
    const kinds = [
      { act: this.#command, most: MOST_VISITS },
      { act: this.#reword, most: MOST_VISITS },
      { act: this.#remove, most: MOST_REMOVALS },
    ];
    let isReworded = false;
    for (const [index, { act, most }] of kinds.entries()) {
      // Each kind has its own, so that another one changes nothing in them.
      const random = createRandom(this.#seed ^ (0x3a11 * (index + 2)));
      // A status that is missing is written again, whatever else somebody did to it.
      const visits: number = act === this.#remove && isReworded ? 0 : random.between(0, most);
      if (act === this.#reword) isReworded = visits > 0;
      for (let visit = 0; visit < visits; visit += 1)
        this.#visit(random.between(20_000, troubled), random, act);
    }
  }

  /** Comes again until there was something to meddle with. */
  #visit(ms: number, random: Random, act: (random: Random) => boolean): void {
    const { world, github } = this.#hub;
    world.after(ms, () => {
      if (world.faults.calm) return;
      const { onWebhook } = github;
      if (random.chance(0.5)) github.onWebhook = () => undefined;
      const isDone = act.call(this, random);
      github.onWebhook = onWebhook;
      if (isDone) this.#hub.killedUntil = world.now + KILLED_MS;
      else this.#visit(LOOK_AGAIN_MS, random, act);
    });
  }

  #command(random: Random): boolean {
    this.#people.say(random.pick(STRANGE), STRANGER, this.#people.issue);
    return true;
  }

  /** The status or the newest question. A tick is something else: it is an answer. */
  #reword(random: Random): boolean {
    const { world, github } = this.#hub;
    // The status of a run at work is written again anyway.
    if (!this.#isWaiting()) return false;
    const comment = (random.chance(0.5) ? this.#question() : undefined) ?? this.#status();
    if (!comment) return false;
    world.log(`walter rewords comment ${comment.id} (${readMarker(comment.body)?.op})`);
    github.edit(comment.id, `${comment.body}\n\n${REWORDED}`, 'walter');
    return true;
  }

  /** The state label, or the status. Another comment makes up for the number of those that are there. */
  #remove(random: Random): boolean {
    const { world, github } = this.#hub;
    const { issue } = this.#people;
    const status = this.#status();
    if (!this.#isWaiting() || !status) {
      if (random.chance(0.05)) this.#people.say('/pause', 'rosa', issue);
      return false;
    }
    if (random.chance(0.5)) {
      world.log('walter takes the state label off');
      github.unsetLabel(issue, `${LABEL}:waiting`, 'walter');
    } else {
      world.log(`rosa deletes the status (comment ${status.id}) and writes something`);
      // The label says that the run waits, and it may have ended since. After the end nothing comes back.
      if (this.#hub.endedAt.has(readMarker(status.body)?.run ?? '')) this.#people.meddled.add('deleted');
      github.remove(status.id, 'rosa');
      github.write(issue, 'Looks good!', 'rosa');
    }
    return true;
  }

  #isWaiting(): boolean {
    const { labels, state } = this.#hub.github.issuePayload(this.#people.issue);
    return state === 'open' && labels.includes(`${LABEL}:waiting`);
  }

  #status(): Comment | undefined {
    return this.#newest(({ body }) => readMarker(body)?.op.endsWith('.status') === true);
  }

  #question(): Comment | undefined {
    return this.#newest(({ body }) => body.startsWith('<!-- autobuild:escalation '));
  }

  #newest(isIt: (comment: Comment) => boolean): Comment | undefined {
    const { comments } = this.#hub.github;
    return [...comments.values()].findLast((comment) => comment.author === BOT && isIt(comment));
  }
}
