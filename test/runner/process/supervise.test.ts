import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseHelpRequest } from '../../../src/runner/output/help-request.ts';
import { createHelpScanner, type HelpBlock } from '../../../src/runner/output/help-scanner.ts';
import { createJsonUnescaper } from '../../../src/runner/output/json-unescape.ts';
import { fixturePath, makeFolder, startFixture, waitFor } from '../supervised-fixture.ts';

describe('superviseAgent', () => {
  it.each([false, true])(
    'gives the agent its input and the mark, and reads its lines (cgroup: %s)',
    async (useCgroup) => {
      const { agent, lines, mark } = startFixture([fixturePath('echo-input.sh')], {
        stdin: 'a\nb\n',
        useCgroup,
      });
      expect(await agent.exited).toEqual({ started: true, code: 0, signal: null, leftovers: 0 });
      expect(lines).toEqual(['got a', 'got b', `mark ${mark}`]);
    },
  );

  it('P-7: takes input while the agent runs, until it is closed', async () => {
    const { agent, lines } = startFixture([fixturePath('echo-input.sh')], {
      stdin: 'a\n',
      keepStdinOpen: true,
    });
    await waitFor('the first answer', () => lines.includes('got a'));
    await agent.freeze();
    expect(agent.write('b\n')).toBe(true);
    await agent.thaw();
    await waitFor('the second answer', () => lines.includes('got b'));
    agent.closeStdin();
    expect(agent.write('c\n')).toBe(false);
    expect(await agent.exited).toMatchObject({ code: 0 });
  });

  it('is content with an agent that does not read its input', async () => {
    const { agent, lines } = startFixture([fixturePath('ignore-input.sh')], { stdin: 'x'.repeat(1_000_000) });
    expect(await agent.exited).toMatchObject({ started: true, code: 0 });
    expect(lines).toEqual(['fine']);
  });

  it('is content with an agent that says nothing', async () => {
    const { agent, lines, stderr } = startFixture([fixturePath('print-nothing.sh')]);
    expect(await agent.exited).toEqual({ started: true, code: 0, signal: null, leftovers: 0 });
    expect([lines, stderr]).toEqual([[], []]);
  });

  it('does not wait for a daemon that holds stdout open, and clears it away', async () => {
    const { agent, lines } = startFixture([fixturePath('fork-and-exit.sh')]);
    // The daemon holds it for longer than a test may take, and was still there to be cleared away.
    expect(await agent.exited).toEqual({ started: true, code: 3, signal: null, leftovers: 1 });
    expect(lines).toEqual(['done']);
  });

  it('waits for an agent that closes stdout early', async () => {
    const file = join(makeFolder(), 'worked');
    const { agent, lines } = startFixture([fixturePath('close-stdout-early.sh'), file]);
    expect(await agent.exited).toMatchObject({ started: true, code: 7, leftovers: 0 });
    expect(existsSync(file)).toBe(true);
    expect(lines).toEqual(['first']);
  });

  it.each([
    ['does not exist', [fixturePath('nobody')], /nobody does not exist\. Install/],
    [
      'is not on the PATH',
      ['no-such-agent-anywhere'],
      /"no-such-agent-anywhere" was not found on the PATH\. Install/,
    ],
    [
      'is not executable',
      [fixturePath('not-executable.sh')],
      /not-executable\.sh is not executable\. Run "chmod/,
    ],
    ['is a directory', [fixturePath('')], /is no file/],
    ['has no interpreter', [fixturePath('bad-interpreter')], /interpreter "\/no\/such\/interpreter"/],
    ['is not named', [], /command is empty/],
    ['has an argument the system cannot pass', ['sh', 'a\0b'], /could not be started/],
    ['has too long an argument', ['sh', 'x'.repeat(4_000_000)], /more arguments.*stdin/],
  ])('says so when the agent %s', async (_, argv, problem) => {
    const { agent } = startFixture(argv);
    expect(await agent.exited).toEqual({ started: false, problem: expect.stringMatching(problem) });
    expect(agent.pid).toBeUndefined();
    expect(await agent.freeze()).toMatchObject({ processes: 0 });
    expect(agent.write('x')).toBe(false);
  });

  it('says so when the working directory is gone', async () => {
    const { agent } = startFixture(['sh'], { cwd: '/no/such/folder' });
    expect(await agent.exited).toEqual({
      started: false,
      problem: expect.stringMatching(/working directory \/no\/such\/folder/),
    });
  });

  it('P-1: reads a 60 MB line without holding it, and finds the help block inside', async () => {
    const blocks: HelpBlock[] = [];
    const scanner = createHelpScanner((block) => blocks.push(block));
    const unescaper = createJsonUnescaper();
    let longest = 0;
    let length = 0;
    const { agent, lines } = startFixture([fixturePath('print-huge-line.mjs')], {
      onOverlong: (text) => {
        length += text.length;
        scanner.feed(unescaper.feed(text));
        longest = Math.max(longest, text.length);
      },
    });
    expect(await agent.exited).toMatchObject({ code: 0 });
    expect(length).toBeGreaterThan(60_000_000);
    expect(lines).toEqual(['last']);
    expect(blocks.map(parseHelpRequest)).toEqual([
      { ok: true, request: { what_i_tried: 'all', what_i_need: 'a key', inputs: [] } },
    ]);
    expect(longest).toBeLessThanOrEqual(256 * 1024);
  });

  it('passes the beginning and the end of a flood on stderr on', async () => {
    const { agent, stderr } = startFixture([fixturePath('flood-stderr.sh')]);
    expect(await agent.exited).toMatchObject({ code: 1 });
    const text = stderr.join('');
    expect(text.length).toBeLessThan(1_500_000);
    expect(text).toMatch(/\[\d+ bytes of stderr left out\]/);
    expect(text).toMatch(/the reason\n$/);
  });

  it('S-1: a flood of output leaves time to clock, heartbeat and freeze after each piece of it', async () => {
    const handled = { inRound: 0, most: 0, total: 0 };
    const { agent } = startFixture(['sh', '-c', "yes '<<<NEED_HELP>>>' | head -c 30000000"], {
      onLine(line) {
        handled.inRound += line.length + 1;
        handled.total += line.length + 1;
        handled.most = Math.max(handled.most, handled.inRound);
      },
    });
    // Timers and answers are handled in each round of the event loop.
    function nextRound(): void {
      handled.inRound = 0;
      round = setImmediate(nextRound);
    }
    let round = setImmediate(nextRound);
    onTestFinished(() => clearImmediate(round));
    expect(await agent.exited).toMatchObject({ code: 0 });
    expect(handled.total).toBe(30_000_000);
    // Two pieces per round of the reader, and its rounds begin at another moment than the ones counted here.
    expect(handled.most).toBeLessThanOrEqual(4 * 65_536);
  });

  it('kills the agent when a listener throws, and says why', async () => {
    const { agent } = startFixture(['sh', '-c', 'echo x; sleep 60'], {
      onLine: () => {
        throw new Error('our bug');
      },
    });
    await expect(agent.exited).rejects.toMatchObject({ cause: { message: 'our bug' } });
  });

  it('finds nothing to stop once the agent has ended', async () => {
    const { agent } = startFixture([fixturePath('print-nothing.sh')]);
    await agent.exited;
    expect(await agent.freeze()).toEqual({ processes: 0, running: 0, ms: 0 });
    expect(await agent.kill({ graceMs: 0 })).toEqual({ processes: 0, survivors: 0 });
    expect(agent.frozen).toBe(false);
  });
});
