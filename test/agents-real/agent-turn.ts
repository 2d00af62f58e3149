import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { Agent } from '../../src/agents/agent.ts';
import type { AgentEvent } from '../../src/core/contracts/agent/agent-event.ts';
import type { GateAnswer, GateAsk } from '../../src/core/contracts/gate.ts';
import { isStopCertain } from '../../src/core/contracts/isolation.ts';
import { openBox } from '../../src/runner/box/open-box.ts';
import { openGate } from '../../src/runner/gate/gate.ts';
import { createProcessTree } from '../../src/runner/process/process-tree.ts';
import { type Supervised, superviseAgent } from '../../src/runner/process/supervise.ts';
import { NO_PID, waitFor } from '../runner/supervised-fixture.ts';
import { makeTemporaryDirectory } from '../runner/temporary-worktree.ts';
import { cache } from './installed-cli.ts';

const ALLOW: GateAnswer = { decision: 'allow', reason: 'within the limits' };
/** A first start on a loaded machine, and the agents' own waits before they try again. */
export const PATIENCE_MS = 120_000;

const LEAVE_MS = 5_000;
const LAST_EVENTS = 12;
const EVENT_CHARS = 1_500;
const STDERR_CHARS = 4_000;

const REPOSITORY = join(import.meta.dirname, '../..');
const CLI = join(REPOSITORY, 'src/cli.ts');

export interface TurnOptions {
  agent: Agent;
  worktree: string;
  home: string;
  env: Record<string, string>;
  prompt?: string;
  instructions?: string;
  session?: string;
  extraArgs?: string[];
  hook?: string[];
  decide?(ask: GateAsk): Promise<GateAnswer>;
  /** The last touch to what the adapter wrote there. */
  changeHome?(home: string): void;
  /** Keep stdin open after the end, for agents that go on. */
  stayOpen?: boolean;
  modelAddress?: string;
}

export type AgentTurn = {
  /** Its last events and words, for a failed test. */
  describe(): string;
  supervised: Supervised;
  events: AgentEvent[];
  asks: GateAsk[];
  /** The first event of a kind; waits for it. */
  event<T extends AgentEvent['type']>(type: T): Promise<Extract<AgentEvent, { type: T }>>;
  /** The conversation's id, told or given. */
  session(): Promise<string>;
  /** What it used, as it tells it: in its stream, or in a file once it is gone. */
  figures(): Extract<AgentEvent, { type: 'usage' }>[];
  /** Every event until the process is gone. */
  finished(): Promise<AgentEvent[]>;
};

/** One turn of a real agent, wired as the runner would: gate, hook, stream, and stdin closed at the end. */
export async function startTurn(options: TurnOptions): Promise<AgentTurn> {
  const { agent, worktree, home, decide = async () => ALLOW } = options;
  const top = makeTemporaryDirectory();
  const asks: GateAsk[] = [];
  const gate = await openGate({
    socketPath: join(top, 'gate'),
    decide(ask) {
      asks.push(ask);
      return decide(ask);
    },
  });
  onTestFinished(() => gate.close());
  const file = (name: string) => join(top, name);
  const start = agent.start({
    prompt: options.prompt ?? 'Build it.',
    instructions: options.instructions ?? 'Say so when you are stuck.',
    cwd: worktree,
    home,
    files: {
      prompt: file('p'),
      context: file('c'),
      inputs: file('i'),
      report: file('r'),
      gate: gate.socketPath,
    },
    inputs: {},
    session: options.session,
    newSession: randomUUID(),
    env: options.env,
    modelAddress: options.modelAddress,
    hook: options.hook ?? [process.execPath, CLI, 'hook', agent.name],
  });
  for (const { path, text } of start.homeFiles ?? []) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  }
  options.changeHome?.(home);
  const reader = agent.createReader();
  const events: AgentEvent[] = [];
  const stderr: string[] = [];
  const mark = `test-${randomUUID()}`;
  /** The turn is over: the agent may leave by itself, and is made to when it does not. */
  function letGo(): void {
    supervised.closeStdin();
    const patience = setTimeout(() => void supervised.kill({ graceMs: 500 }), LEAVE_MS);
    void supervised.exited.finally(() => clearTimeout(patience));
  }
  const supervised = superviseAgent({
    argv: [...start.argv, ...(options.extraArgs ?? [])],
    cwd: worktree,
    env: { ...options.env, ...start.env },
    stdin: start.stdin,
    keepStdinOpen: start.keepStdinOpen,
    mark,
    enter: boxFor(options).enter,
    share: [home, top],
    onLine(line) {
      const read = reader.read(line) ?? [];
      events.push(...read);
      if (!options.stayOpen && read.some(({ type }) => type === 'ended')) letGo();
    },
    onOverlong: () => undefined,
    onStderr: (text) => stderr.push(text),
  });
  onTestFinished(async () => {
    await supervised.kill({ graceMs: 0 });
    await supervised.exited;
    expect(createProcessTree({ rootPid: supervised.pid ?? NO_PID, mark }).list(), 'leaked processes').toEqual(
      [],
    );
  });
  async function event<T extends AgentEvent['type']>(type: T): Promise<Extract<AgentEvent, { type: T }>> {
    const find = () => events.find((event) => event.type === type);
    await waitFor(`a ${type} of ${agent.name}`, () => find() !== undefined, PATIENCE_MS);
    return find() as Extract<AgentEvent, { type: T }>;
  }
  return {
    supervised,
    events,
    asks,
    event,
    describe() {
      const told = events.slice(-LAST_EVENTS).map((event) => JSON.stringify(event).slice(0, EVENT_CHARS));
      return `the last events:\n${told.join('\n')}\nthe end of stderr: ${stderr.join('').slice(-STDERR_CHARS)}`;
    },
    session: async () => start.session ?? (await event('session')).id,
    figures() {
      const { usageFile } = agent;
      const last = usageFile?.read(readFileSync(join(home, usageFile.path), 'utf8'));
      return [...events, ...(last ? [last] : [])].filter((event) => event.type === 'usage');
    },
    async finished() {
      const exit = await supervised.exited;
      if (!exit.started) throw new Error(exit.problem);
      events.push(...(reader.end?.({ ...exit, stderr: stderr.join('').slice(-4096) }) ?? []));
      return events;
    },
  };
}

/** The best box that this machine makes, with the view that an agent has in Actions. */
function boxFor({ worktree, home, env }: TurnOptions) {
  const plan = {
    directory: makeTemporaryDirectory(),
    worktree,
    hidden: [],
    // Agents also read in the directories above the worktree.
    shared: [dirname(worktree), home],
    // The box has a `/tmp` of its own, and a checkout may be below the one of the machine.
    readable: [cache, REPOSITORY],
    home: env.HOME,
  };
  const box = openBox(plan, 'best', { byRoot: true });
  if (!isStopCertain(box.level)) process.stderr.write(`NOT RUN in a box: ${box.why.join('; ')}\n`);
  return box;
}

export function textOf(events: AgentEvent[]): string {
  return events.map((event) => (event.type === 'text' ? event.text : '')).join('');
}

export function endOf(events: AgentEvent[]): AgentEvent | undefined {
  return events.findLast(({ type }) => type === 'ended');
}
