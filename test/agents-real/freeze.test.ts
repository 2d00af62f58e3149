import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { sizeOf, waitFor } from '../runner/supervised-fixture.ts';
import { AGENT_CASES } from './agent-cases.ts';
import { endOf, PATIENCE_MS, textOf } from './agent-turn.ts';
import { createHold } from './model-servers/scripted-model.ts';
import { LONG_TEXT, prepareAgent } from './prepare-agent.ts';

const FROZEN_MS = 5_000;

/** Ticks until it is let go, and not for ever. A `$(…)` or a long `sleep` is refused by one or another. */
const TICKING = 'seq 900 | while read n; do echo x >> ticks; test -f go && exit 0; sleep 0.1; done';

describe.each(AGENT_CASES)('$name, frozen for five seconds', (agentCase) => {
  test('P-2: in the middle of its words it stands still, and goes on with what came meanwhile', async () => {
    const hold = createHold();
    const { start, at } = await prepareAgent(agentCase, [
      { text: LONG_TEXT, hold, write: 'b.txt' },
      { text: 'All done.' },
    ]);
    const turn = await start();
    await hold.reached;
    await turn.supervised.freeze();
    const before = turn.events.length;
    // The model does not know and says the rest.
    hold.release();
    await sleep(FROZEN_MS);
    expect(turn.events).toHaveLength(before);
    await turn.supervised.thaw();
    const events = await turn.finished();
    expect(textOf(events)).toBe(`${LONG_TEXT}\nAll done.\n`);
    expect(existsSync(at('b.txt'))).toBe(true);
    expect(endOf(events)).toMatchObject({ ok: true });
  });

  test('P-2: in the middle of a command that stands still too, and both go on to their ends', async () => {
    const { start, at, model } = await prepareAgent(agentCase, [
      { text: 'I wait.', run: TICKING },
      { text: 'All done.' },
    ]);
    const turn = await start();
    const ticks = at('ticks');
    await waitFor('the command', () => sizeOf(ticks) > 4, PATIENCE_MS);
    await turn.supervised.freeze();
    const before = { events: turn.events.length, ticks: readFileSync(ticks, 'utf8') };
    await sleep(FROZEN_MS);
    expect(readFileSync(ticks, 'utf8')).toBe(before.ticks);
    expect(turn.events).toHaveLength(before.events);
    await turn.supervised.thaw();
    await waitFor('the command to go on', () => sizeOf(ticks) > before.ticks.length, PATIENCE_MS);
    writeFileSync(at('go'), '');
    const events = await turn.finished();
    expect(events.filter(({ type }) => type === 'tool_ended')).toMatchObject([{ ok: true }]);
    expect(textOf(events)).toBe('I wait.\nAll done.\n');
    expect(endOf(events)).toMatchObject({ ok: true });
    expect(model.requests).toHaveLength(2);
  });
});
