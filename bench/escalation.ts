import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentEvent } from '../src/core/contracts/agent/agent-event.ts';
import { type Claim, PROTOCOL } from '../src/core/contracts/envelope.ts';
import { createDesk } from '../src/core/decide/desk.ts';
import { briefFor } from '../src/core/decide/orders/brief-for.ts';
import { RULES } from '../src/guards/rules.ts';
import { createInProcessLink } from '../src/link/in-process.ts';
import { createMeter } from '../src/runner/job/meter.ts';
import { createActionReader } from '../src/runner/output/read-action.ts';
import { openFileStore } from '../src/store/file.ts';
import { openFileVault } from '../src/store/file-vault.ts';
import type { Figure } from './figure.ts';
import { SAMPLE_RUN, sampleRequest } from './sample-run.ts';
import { withScratchDirectory } from './scratch-directory.ts';
import { percentile, round, summarize } from './statistics.ts';

const ROUNDS = 200;
const FAILURES_AT_MOST = 20;

export const escalation: Figure = {
  id: 'escalation',
  title: 'trigger → escalation in the synced journal, p99',
  bar: 100,
  unit: 'ms',
  better: 'lower',
  measure: () =>
    withScratchDirectory(async (folder) => {
      const timings: number[] = [];
      let journal = '';
      for (let at = 0; at < ROUNDS; at += 1) {
        const directory = join(folder, `run-${at}`);
        timings.push(await timeEscalation(directory));
        journal = readFileSync(join(directory, 'journal.jsonl'), 'utf8');
        if (!journal.includes('"type":"escalation_raised"'))
          throw new Error('The escalation is not in the journal.');
      }
      return {
        value: percentile(timings, 0.99),
        detail: { ...summarize(timings), journal_kb: round(journal.length / 1024, 1) },
      };
    }),
};

/** Plays a run whose agent repeats the same error until a guard trips. The time runs from the last error. */
async function timeEscalation(directory: string): Promise<number> {
  const store = openFileStore(directory);
  try {
    const desk = createDesk({
      store,
      rules: RULES,
      onEvents: () => undefined,
      perform: async () => undefined,
    });
    const link = createInProcessLink(desk, SAMPLE_RUN, openFileVault(directory));
    const brief = briefFor(await desk.handleOnce(SAMPLE_RUN, sampleRequest()));
    const meter = createMeter(brief, () => brief.usage);
    const actions = createActionReader();
    let seq = 0;
    const sendClaim = (claim: Claim) => {
      seq += 1;
      const at = new Date().toISOString();
      const { job: fence, limits_rev } = brief;
      return link.report({
        ...{ protocol: PROTOCOL, run: SAMPLE_RUN, fence, seq, turn: 1, at, active_ms: seq, limits_rev },
        ...claim,
      });
    };
    await sendClaim({ type: 'job_started', data: {} });
    await sendClaim({ type: 'turn_started', data: { kind: 'normal', resumed: false } });
    meter.observe({ type: 'turn_started', turn: 1 });
    for (let failure = 0; failure < FAILURES_AT_MOST; failure += 1) {
      const begin = performance.now();
      const context = {
        ...{ turn: 1, at: new Date().toISOString(), checks: brief.checks },
        ...{ worktree: directory, knownErrors: [] },
      };
      const action = actions.read(failedTest(failure), context);
      if (action) meter.observe(action);
      if (meter.tripped().length === 0) continue;
      const orders = await sendClaim({
        type: 'tripped',
        data: { usage: brief.usage, measured: meter.measured() },
      });
      if (orders.do !== 'wait') throw new Error(`The desk raised nothing: its orders are to ${orders.do}.`);
      return performance.now() - begin;
    }
    throw new Error(`No guard tripped after ${FAILURES_AT_MOST} failures.`);
  } finally {
    store.close();
  }
}

function failedTest(failure: number): AgentEvent {
  const passed = Array.from(
    { length: 200 },
    (_, at) => ` ✓ src/part-${at}.test.ts (${at % 9} tests) ${at} ms`,
  );
  const output = [
    ...passed,
    ' FAIL  src/token.test.ts > refuses an expired token',
    "TypeError: Cannot read properties of undefined (reading 'exp')",
    '    at isExpired (src/token.ts:41:17)',
    '    at src/token.test.ts:12:10',
    ` Duration  ${failure}.37s`,
  ].join('\n');
  return {
    type: 'action',
    kind: 'command',
    command: 'npm test',
    exit_code: 1,
    refused: false,
    output,
    paths: [],
  };
}
