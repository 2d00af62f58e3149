import { loadavg } from 'node:os';
import { startRun } from '../test/core/run-builder.ts';
import { openTestDesk } from '../test/web/desk.ts';
import { Visitor } from '../test/web/visitor.ts';
import type { Figure } from './figure.ts';
import { median, round } from './statistics.ts';

const FEW = 20;
const MANY = 2_000;
const ROUNDS = 60;

/** A run at work with at least so many events. */
function runWith(run: string, events: number) {
  const made = startRun({ run }).beginTurn();
  for (let at = made.events.length; at < events; at = made.events.length)
    made.say(at % 2 === 0 ? '/pause' : '/continue');
  return made;
}

export const runPage: Figure = {
  id: 'run-page',
  title: `the page of a run with ${MANY.toLocaleString('en')} events ÷ with ${FEW}`,
  bar: 2,
  unit: '×',
  better: 'lower',
  async measure() {
    const desk = await openTestDesk();
    try {
      desk.people.rosa = 'write';
      const [few, many] = [runWith('few', FEW), runWith('many', MANY)];
      await desk.seed(few, { issue: 1 });
      await desk.seed(many, { issue: 2 });
      const rosa = new Visitor(desk);
      await rosa.signIn('rosa');
      const time = async (run: string) => {
        const start = performance.now();
        const page = await rosa.read(`/runs/${run}`);
        if (!page.includes('Who did what')) throw new Error(`No page of the run ${run}.`);
        return { ms: performance.now() - start, bytes: page.length };
      };
      const rounds: { few: number; many: number }[] = [];
      let bytes = 0;
      for (let at = 0; at <= ROUNDS; at += 1) {
        const short = await time('few');
        const long = await time('many');
        bytes = long.bytes;
        if (at > 0) rounds.push({ few: short.ms, many: long.ms });
      }
      return {
        value: median(rounds.map((round) => round.many / round.few)),
        detail: {
          ...{ events_few: few.events.length, events_many: many.events.length },
          few_ms: round(median(rounds.map((one) => one.few))),
          many_ms: round(median(rounds.map((one) => one.many))),
          page_kb: round(bytes / 1000, 1),
          load: round(loadavg()[0] ?? 0, 1),
        },
      };
    } finally {
      await desk.close();
    }
  },
};
