import { createInterface } from 'node:readline';
import { openPostgresStore } from '../../src/store/postgres.ts';
import { openDesk } from '../desk.ts';

/** Four loops handle, four perform, as in the server. Works between the lines `work` and `rest`. */
const [url = '', key = ''] = process.argv.slice(2);
const AT_ONCE = 4;
const IDLE_MS = 20;

const store = await openPostgresStore({ url, key });
const desk = openDesk(store);
let isWorking = false;
const loop = async (work: () => Promise<boolean>) => {
  while (isWorking) if (!(await work())) await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
};
let resting: Promise<unknown> = Promise.resolve();
createInterface({ input: process.stdin }).on('line', async (line) => {
  isWorking = line === 'work';
  if (isWorking) {
    const loops = Array.from({ length: AT_ONCE }, () => [loop(desk.handleNext), loop(desk.performNext)]);
    resting = Promise.all(loops.flat());
    return;
  }
  await resting;
  console.log('rests');
});
console.log('ready');
