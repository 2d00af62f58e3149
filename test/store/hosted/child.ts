/** A second instance: opens the same database in a process of its own and does one thing there. */
import type { HostedStore } from '../../../src/core/ports/hosted-store.ts';
import { openStore } from '../../../src/store/open-store.ts';
import { KEY } from './backend.ts';
import { note } from './commits.ts';
import { workInbox, workOutbox } from './work-through.ts';

const [task = '', where = '', count = '0'] = process.argv.slice(2);

const TASKS: Record<string, (store: HostedStore, count: number) => Promise<void>> = {
  /** Commits until it is killed; says each version once it is acknowledged. */
  async commitForever(store) {
    for (;;) {
      const { version } = await store.runs.load('r1');
      const seen = [`key ${version + 1}`];
      const result = await store.runs.commit('r1', version, { ...note(version + 1), seen });
      if (result.ok) process.stdout.write(`${result.version}\n`);
    }
  },
  /** Wins that many commits against whoever else tries. */
  async winCommits(store, wanted) {
    const won: number[] = [];
    let lost = 0;
    process.stdout.write('ready\n');
    while (won.length < wanted) {
      const { version } = await store.runs.load('r1');
      const result = await store.runs.commit('r1', version, note(version + 1));
      if (result.ok) won.push(result.version);
      else lost += 1;
    }
    process.stdout.write(`${JSON.stringify({ won, lost })}\n`);
  },
  async workInbox(store, workers) {
    process.stdout.write('ready\n');
    process.stdout.write(`${JSON.stringify(await workInbox(store, workers))}\n`);
  },
  async workOutbox(store, workers) {
    process.stdout.write('ready\n');
    process.stdout.write(`${JSON.stringify(await workOutbox(store, workers))}\n`);
  },
  async fillDisk(store) {
    await store.runs.commit('r1', 1, note(2));
    let refused = '';
    for (let tried = 0; tried < 5000 && refused === ''; tried += 1) {
      const { version } = await store.runs.load('r1');
      await store.runs.commit('r1', version, note(version + 1)).catch((error: Error) => {
        refused = error.name;
      });
    }
    const { version, state } = await store.runs.load('r1');
    process.stdout.write(`${JSON.stringify({ refused, version, updated_at: state?.updated_at })}\n`);
  },
};

const store = await openStore({ ...JSON.parse(where), key: KEY });
await TASKS[task]?.(store, Number(count));
await store.close();
