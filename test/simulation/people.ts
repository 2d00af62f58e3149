import { readMarker } from '../../src/app/upsert-comment.ts';
import type { Hub } from './desk.ts';
import { BOT, type Comment, LABEL } from './fake-github.ts';

const BOX = /^- \[ \] <!-- autobuild:option id=([A-Za-z0-9._-]+) -->/gm;
const ANSWERS = ['/continue', '/guide Try it in another way', '/provide key=blue', '/retry', '/review'];
const COMMANDS = [
  '/status',
  '/pause',
  '/continue',
  '/guide Mind the tests',
  '/help',
  '/retry',
  'Looks good!',
];

/** What somebody adds to a comment of ours. */
export const REWORDED = 'PS: by walter';

/** A command in a comment of a person who may give it. */
export interface Given {
  comment: number;
  by: string;
  text: string;
  at: number;
}

/** People look at the issue and do what people do, now and then two of them at once. */
export class People {
  readonly hub: Hub;
  readonly given: Given[] = [];
  readonly issue: number;
  /** A person took the label off, closed the issue, or edited or deleted what a check relies on. */
  readonly meddled = new Set<'deleted' | 'unlabelled' | 'closed' | 'ticked'>();

  constructor(hub: Hub, issue: number) {
    this.hub = hub;
    this.issue = issue;
    hub.onParked = () => {
      const { faults, random } = hub.world;
      if (!faults.calm && random.chance(0.12))
        hub.world.after(random.between(0, 3_000), () => this.#say('/cancel', 'rosa'));
    };
    hub.onHang = () => {
      if (hub.world.random.chance(0.5)) this.cancelWithin(150_000);
    };
  }

  /** Somebody has waited long enough. */
  cancelWithin(ms: number): void {
    const { world } = this.hub;
    world.after(world.random.between(1_000, ms), () => this.#say('/cancel', 'rosa'));
  }

  act(): unknown {
    const { world } = this.hub;
    const { random } = world;
    const open = this.#openQuestion();
    const wish = random.next();
    if (open && wish < 0.7) {
      const both = random.chance(0.35);
      this.#answer(open, 'rosa');
      if (both) world.after(random.between(0, 3_000), () => this.#answer(open, 'walter'));
      return;
    }
    if (wish < 0.8)
      return this.#say(random.pick(COMMANDS), random.pick(['rosa', 'walter', 'walter', 'rita']));
    if (wish < 0.85) return this.#meddle();
    if (wish < 0.9) return this.#say('/cancel', random.pick(['rosa', 'rita']));
    if (wish < 0.92) {
      this.meddled.add('unlabelled');
      this.hub.world.log('walter takes the label off');
      this.hub.github.unsetLabel(this.issue, LABEL, 'walter');
      if (random.chance(0.5))
        world.after(random.between(1_000, 300_000), () =>
          this.hub.github.setLabel(this.issue, LABEL, 'walter'),
        );
      return;
    }
    if (wish < 0.94) {
      this.meddled.add('closed');
      const by = random.pick(['rosa', 'rita']);
      world.log(`${by} closes the issue`);
      return this.hub.github.setState(this.issue, 'closed', by);
    }
    if (wish < 0.97) {
      const pull = [...this.hub.github.pulls.values()].at(-1);
      if (pull) {
        const merged = random.chance(0.6);
        world.log(`rosa closes pull request ${pull.number}, merged: ${merged}`);
        this.hub.github.closePull(pull.number, merged, 'rosa');
      }
      return;
    }
    this.#say('/continue', 'rosa');
  }

  #answer(question: Comment, by: string): void {
    const { world, github } = this.hub;
    const boxes = [...question.body.matchAll(BOX)].flatMap(([, id]) => id ?? []);
    const present = github.comments.get(question.id);
    if (present && boxes.length > 0 && world.random.chance(0.5)) {
      const id = world.random.pick(boxes);
      const box = `- [ ] <!-- autobuild:option id=${id} -->`;
      if (!present.body.includes(box)) return;
      this.meddled.add('ticked');
      world.log(`${by} ticks ${id}`);
      github.edit(present.id, present.body.replace(box, box.replace('[ ]', '[x]')), by);
      return;
    }
    this.#say(world.random.pick(ANSWERS), by);
  }

  #say(text: string, by: string): void {
    this.say(text, by, this.issue);
  }

  /** On the issue, or on its pull request. */
  say(text: string, by: string, on: number): void {
    const { world, github } = this.hub;
    const { id } = github.write(on, text, by);
    world.log(`${by} writes ${text} (comment ${id})`);
    if (text.startsWith('/')) this.given.push({ comment: id, by, text, at: world.now });
  }

  #meddle(): unknown {
    const { world, github } = this.hub;
    const ours = [...github.comments.values()].filter(({ author }) => author === BOT);
    if (ours.length === 0) return;
    const question = world.random.chance(0.4) ? this.#openQuestion() : undefined;
    const comment = question ?? world.random.pick(ours);
    const op = readMarker(comment.body)?.op;
    if (world.random.chance(0.5)) {
      this.meddled.add('deleted');
      world.log(`rosa deletes comment ${comment.id} (${op})`);
      return github.remove(comment.id, 'rosa');
    }
    world.log(`walter rewords comment ${comment.id} (${op})`);
    github.edit(comment.id, `${comment.body}\n\n${REWORDED}`, 'walter');
  }

  #openQuestion(): Comment | undefined {
    return [...this.hub.github.comments.values()].findLast(
      ({ author, body }) => author === BOT && body.search(BOX) >= 0,
    );
  }
}
