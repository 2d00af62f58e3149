import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { waitFor } from '../runner/supervised-fixture.ts';
import { AGENT_CASES } from './agent-cases.ts';
import { endOf, PATIENCE_MS, textOf } from './agent-turn.ts';
import { prepareAgent } from './prepare-agent.ts';

const WAITING = 'echo started > started.txt; seq 600 | while read n; do sleep 0.1; done';

describe.each(AGENT_CASES)('$name', (agentCase) => {
  test('R-3: killed in the middle of a command, it is resumed at another path from its session files alone', async () => {
    const goOn = { text: 'I go on.', run: 'pwd > where.txt' };
    const { start, at, model, sessionFiles, moveAway } = await prepareAgent(agentCase, [
      { text: 'I wait.', run: WAITING },
      // The call that was cut off may be answered for in the history, by words of its own.
      goOn,
      goOn,
      { text: 'All done.' },
    ]);
    const turn = await start();
    await waitFor('the command', () => existsSync(at('started.txt')), PATIENCE_MS);
    const id = await turn.session();
    // Files are written a moment after the words; a database is exported later.
    if (!agentCase.agent.exportSession)
      await expect
        .poll(async () => (await sessionFiles(id)).some(({ text }) => text.includes('I wait.')), {
          timeout: PATIENCE_MS,
        })
        .toBe(true);
    await turn.supervised.kill({ graceMs: 0 });
    expect(endOf(await turn.finished())).toMatchObject({ ok: false, reason: 'interrupted' });

    const moved = await moveAway(id);
    const events = await (await start({ ...moved, session: id, prompt: 'Go on.' })).finished();
    expect(events).toContainEqual({ type: 'session', id });
    expect(textOf(events)).toMatch(/^(I go on\.\n){1,2}All done\.\n$/);
    expect(readFileSync(join(moved.worktree, 'where.txt'), 'utf8')).toBe(`${moved.worktree}\n`);
    expect(model.lastRequest()).toContain('I wait.');
  });

  test('a conversation that is not there is told as such', async () => {
    const { start, model } = await prepareAgent(agentCase, []);
    const turn = await start({ session: agentCase.unknownSession });
    expect(endOf(await turn.finished())).toMatchObject({ ok: false, reason: 'no_session' });
    expect(model.requests).toEqual([]);
  });

  test('a conversation in files of another version is told as one that is not there', async () => {
    const { start, model, moveAway } = await prepareAgent(agentCase, [{ text: 'One.' }, { text: 'Two.' }]);
    const first = await start();
    await first.finished();
    const session = await first.session();
    const moving = moveAway(session, () => '{"version":999,"kind":"of another time"}\n');
    // What cannot be imported is not even begun with.
    if (agentCase.agent.importSession) return expect(moving).rejects.toThrow('import');
    const second = await start({ ...(await moving), session, prompt: 'Go on.' });
    expect(endOf(await second.finished())).toMatchObject({ ok: false, reason: 'no_session' });
    expect(model.requests).toHaveLength(1);
  });
});
