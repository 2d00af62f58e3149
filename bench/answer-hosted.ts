import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Input } from '../src/core/contracts/input.ts';
import { handle } from '../src/core/decide/handle.ts';
import type { HostedStore } from '../src/core/ports/hosted-store.ts';
import { RULES } from '../src/guards/rules.ts';
import { MAX_HELP_BLOCKS } from '../src/runner/output/limit-help-blocks.ts';
import { openSqliteStore } from '../src/store/sqlite.ts';
import { childArgv } from './bench-agent.ts';
import type { Figure } from './figure.ts';
import { startDesk, startJob } from './hosted-job.ts';
import { SAMPLE_RUN } from './sample-run.ts';
import { withScratchDirectory } from './scratch-directory.ts';
import { percentile, summarize } from './statistics.ts';

/** As many help blocks as the runner reads in one turn. */
const ROUNDS = MAX_HELP_BLOCKS;
const now = () => new Date();

/**
 * Measures the whole path: the desk's commit, its job API over loopback, the real action as the job, the frozen agent.
 */
export const answerHosted: Figure = {
  id: 'answer-hosted',
  title: 'answer accepted by the desk → frozen agent of a job running with it, p99',
  bar: 200,
  unit: 'ms',
  better: 'lower',
  measure: () =>
    withScratchDirectory(async (folder) => {
      const store = await openSqliteStore({
        file: join(folder, 'desk.db'),
        key: randomBytes(32).toString('base64'),
      });
      const heard = await listen();
      const desk = await startDesk(store);
      const agent = childArgv('ask-again.ts', String(heard.port), String(ROUNDS));
      const job = await startJob(store, folder, desk.port, agent);
      try {
        const timings: number[] = [];
        for (let round = 1; round <= ROUNDS; round += 1) {
          const escalation = await frozenQuestion(store, round, job.ended);
          const value = { ref: await store.vault.put(SAMPLE_RUN, `value_${round}`, 'given'), length: 5 };
          const input: Input = {
            type: 'command',
            at: now().toISOString(),
            command: { name: 'provide', inputs: { [`value_${round}`]: value } },
            by: 'bench',
            via: 'comment',
            escalation,
          };
          await handle(store.runs, RULES, SAMPLE_RUN, input, { seen: [`bench:${round}`] });
          const accepted = process.hrtime.bigint();
          timings.push(Number((await heard.next()) - accepted) / 1e6);
        }
        return { value: percentile(timings, 0.99), detail: summarize(timings) };
      } finally {
        job.interrupt();
        await job.ended.catch(() => undefined);
        await desk.close();
        heard.close();
        await store.close();
      }
    }),
};

/** Until the question of that number is open and its agent is stopped. */
async function frozenQuestion(store: HostedStore, number: number, jobEnded: Promise<never>): Promise<string> {
  for (;;) {
    const changed = new Promise<void>((resolve) => {
      const stop = store.onWake(() => {
        stop();
        resolve();
      });
    });
    const { state } = await store.runs.load(SAMPLE_RUN);
    const asked = state?.escalations[number - 1];
    const events = asked ? await store.runs.events(SAMPLE_RUN) : [];
    const frozen = events.some(({ commit }) =>
      commit.events.some((event) => event.type === 'agent_frozen' && event.escalation === asked?.id),
    );
    if (asked && frozen) return asked.id;
    await Promise.race([changed, jobEnded]);
  }
}

/** Receives a line from the agent for each value, with the time at which it was read. */
async function listen(): Promise<{ port: number; next(): Promise<bigint>; close(): void }> {
  const server = createServer();
  const connected = once(server, 'connection');
  const lines = (async function* () {
    const [socket] = await connected;
    yield* createInterface({ input: socket });
  })();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async next() {
      const { value, done } = await lines.next();
      if (done) throw new Error('The agent has hung up.');
      return BigInt(value);
    },
    close: () => void server.close(),
  };
}
