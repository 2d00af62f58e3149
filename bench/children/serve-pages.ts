import { createInterface } from 'node:readline';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { startRun } from '../../test/core/run-builder.ts';
import { openTestDesk } from '../../test/web/desk.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** The pages of a desk with one run. Prints its address, and its memory for each line that it reads. */
const desk = await openTestDesk();
desk.people.rosa = 'write';
await desk.seed(startRun().beginTurn());
console.log(desk.url);
for await (const _ of createInterface({ input: process.stdin })) {
  collect();
  const { heapUsed, external, rss } = process.memoryUsage();
  console.log(JSON.stringify({ held: heapUsed + external, rss }));
}
await desk.close();
