import type { Hub } from './desk.ts';
import { REPO_ID } from './fake-github.ts';
import type { People } from './people.ts';
import { createRandom } from './random.ts';

/** Every so many histories have it. The others are as they were without it. */
const FORGED = 1 / 20;
const MOST_VISITS = 4;
const MOST_QUESTIONS = 3;

/** Somebody writes what looks like comments of the App, some of them before the App has written its own. */
export function planForgeries(hub: Hub, people: People, seed: number, troubled: number): void {
  const { world, github, store } = hub;
  const random = createRandom(seed ^ 0x2d67);
  if (!random.chance(FORGED)) return;
  const visits = random.between(1, MOST_VISITS);
  for (let visit = 0; visit < visits; visit += 1)
    world.after(random.between(5_000, troubled), async () => {
      const run = await store.runs.ofIssue(REPO_ID, people.issue);
      if (run === undefined) return;
      world.log(`sam writes what looks like comments of ${run}`);
      const write = (kind: string, op: string) =>
        github.write(people.issue, `<!-- autobuild:${kind} run=${run} op=${run}.${op} -->\nHello`, 'sam');
      write('status', 'status');
      for (let asked = 1; asked <= MOST_QUESTIONS; asked += 1) write('escalation', `e${asked}`);
    });
}
