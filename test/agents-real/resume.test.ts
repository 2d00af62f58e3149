import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { waitFor } from '../runner/supervised-fixture.ts';
import { AGENT_CASES } from './agent-cases.ts';
import { endOf, PATIENCE_MS, textOf } from './agent-turn.ts';
import { prepareAgent } from './prepare-agent.ts';

const WAITING = 'echo started > started.txt; seq 600 | while read n; do sleep 0.1; done';

/** Of the program that wrote the files, and of Copilot's format. */
const OLDER = ['an older', '0.0.1', 0] as const;
const NEWER = ['a newer', '999.0.0', 2] as const;

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

  // Gemini's files name no version; an export and an import take their time, so they are made once.
  const versions = agentCase.agent.exportSession
    ? [OLDER]
    : agentCase.name === 'gemini'
      ? []
      : [OLDER, NEWER];
  test.each(versions)(
    'R-3: a conversation whose files say %s version goes on',
    async (_, version, format) => {
      const { start, model, moveAway } = await prepareAgent(agentCase, [{ text: 'One.' }, { text: 'Two.' }]);
      const first = await start();
      await first.finished();
      const session = await first.session();
      let marks = 0;
      const moved = await moveAway(session, (text) =>
        text
          .replaceAll(JSON.stringify(agentCase.agent.testedVersion), () => {
            marks += 1;
            return JSON.stringify(version);
          })
          // Copilot's, of the format itself.
          .replace('"version":1,', `"version":${format},`),
      );
      expect(marks).toBeGreaterThan(0);
      const events = await (await start({ ...moved, session, prompt: 'Go on.' })).finished();
      expect(endOf(events)).toMatchObject({ ok: true });
      expect(textOf(events)).toBe('Two.\n');
      expect(model.requests).toHaveLength(2);
      expect(model.lastRequest()).toContain('One.');
    },
  );

  test('a conversation in files that cannot be read is told as one that is not there', async () => {
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
