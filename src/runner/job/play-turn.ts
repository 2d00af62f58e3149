import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Agent } from '../../agents/agent.ts';
import type { AgentEvent } from '../../core/contracts/agent-event.ts';
import type { SetApart } from '../agent/agent-config.ts';
import { describeKeyless, keyless, unstartable } from '../agent/agent-end.ts';
import { environmentFor, missingKeys } from '../agent/agent-environment.ts';
import { agentHomeOf, writeHomeFiles } from '../agent/agent-home.ts';
import { saveCheckpoint } from '../checkpoint/checkpoint.ts';
import { readInside } from '../disk/read-inside.ts';
import { openGate } from '../gate/gate.ts';
import { createWriteGuard, type WriteGuard } from '../gate/write-guard.ts';
import { parseHelpRequest } from '../output/help-request.ts';
import { createHelpScanner } from '../output/help-scanner.ts';
import { unescapeJsonText } from '../output/json-unescape.ts';
import { limitHelpBlocks } from '../output/limit-help-blocks.ts';
import { createActionReader } from '../output/read-action.ts';
import { createOverlongWords, wordsInUnreadLine } from '../output/unread-line.ts';
import { forgetAgent, recordAgent } from '../process/orphans.ts';
import { superviseAgent } from '../process/supervise.ts';
import { noteSurroundings, type Surroundings } from '../workspace/control-files.ts';
import { WorktreeGoneError } from '../workspace/worktree-gone.ts';
import { secretsIn } from './actions-secrets.ts';
import { isLostSession, keepSession } from './agent-sessions.ts';
import type { Job, WorkOrders } from './job.ts';
import { LiveTurn, type TurnOutcome } from './live-turn.ts';
import { prepareHome } from './prepare-home.ts';
import { surroundingsDir, tellBroughtBack, tellPutBack } from './revert-control-files.ts';
import { prepareTurn, removeInputs } from './turn-files.ts';
import { actionContextOf, isApproval, writeLimitsOf } from './turn-limits.ts';

const STDERR_KEPT = 4_000;
const TOO_MANY_DIRECTORIES =
  'The worktree has too many directories: not all were searched for instructions of an earlier turn that git ignores.';
const MAX_FIGURES_BYTES = 1024 * 1024;

/** One invocation of the agent, from spawn to its end, with every stop in between. */
export async function playTurn(job: Job, orders: WorkOrders): Promise<TurnOutcome> {
  const agent = job.agentFor(orders.agent);
  if (!agent) {
    const exit = `there is no agent ${orders.agent}`;
    job.meter.observe(unstartable(orders.agent, exit, orders.turn, job.now().toISOString()));
    return { kind: 'ended', exit, failed: true };
  }
  const keys = missingKeys(agent, job.agentEnv);
  if (keys) {
    job.meter.observe(keyless(agent.name, keys, orders.turn, job.now().toISOString()));
    return { kind: 'ended', exit: describeKeyless(agent.name, keys), failed: true };
  }
  const gateDir = await mkdtemp(join(tmpdir(), 'autobuild-'));
  const turn = new LiveTurn(job, orders, agent);
  const writes = createWriteGuard({
    workspace: job.workspace,
    asideDir: join(job.runDir, 'aside'),
    stateDir: job.stateDir.path,
    aside: job.aside,
    workedMs: () => job.stopwatch.ms(),
    countChanged: job.agentConfig.countChanged,
    limits: () => writeLimitsOf(job, turn.orders),
    onProposed(proposed, files) {
      job.meter.observe({
        type: 'write_proposed',
        turn: orders.turn,
        proposed,
        files,
        scope: job.brief.task.scope ?? [],
      });
      turn.enqueue(() => turn.stopIfTripped());
    },
    onFilesChanged(paths) {
      // What a debugging turn changes is put back at its end: it is no progress.
      if (orders.kind === 'debug') return;
      job.meter.observe({ type: 'files_changed', turn: orders.turn, paths });
    },
    onAside(items) {
      job.aside = items;
      saveCheckpoint(job, { aside: items });
    },
    onGone: () =>
      turn.enqueue(() => turn.end({ kind: 'ended', exit: 'the agent deleted the worktree', failed: true })),
    onProblem: (error) =>
      job.onProgress({ type: 'problem', text: `Looking at the worktree failed: ${String(error)}` }),
  });
  const gate = await openGate({ socketPath: join(gateDir, 'gate'), decide: writes.decideAsk });
  let around: Surroundings | undefined;
  try {
    // Taken for this turn, a moment ago.
    await writes.begin(job.lastTree);
    // What an answer allowed since is brought back before the agent looks.
    await writes.settle('the turn started anew', { approved: isApproval(orders) });
    const placed = await placeConfig(job, agent, writes);
    if (!placed.ok) return { kind: 'ended', exit: placed.problem, failed: true };
    const prepared = await prepareTurn(job, orders, gate.socketPath, placed.apart);
    around = await noteSurroundings(job.workspace.worktree, surroundingsDir(job), agent);
    const home = agentHomeOf(job.runDir);
    const session = await prepareHome(job, agent);
    const named = secretsIn(orders).map(({ name }) => name);
    const env = environmentFor(agent, job.agentEnv, named);
    const start = agent.start({
      ...prepared,
      cwd: job.workspace.worktree,
      home,
      session,
      newSession: randomUUID(),
      hook: job.hookFor?.(agent.name) ?? [],
      env,
    });
    await writeHomeFiles(home, start.homeFiles ?? []);
    await turn.announce();
    const reader = agent.createReader();
    const actions = createActionReader();
    const help = limitHelpBlocks((block) =>
      turn.enqueue(() => turn.askForHelp(() => parseHelpRequest(block))),
    );
    const scanner = createHelpScanner(help.pass);
    const stderrScanner = createHelpScanner(help.pass);
    const overlong = createOverlongWords({ plain: reader.plain });
    let stderr = '';
    const handle = async (event: AgentEvent): Promise<void> => {
      if (event.type === 'ended') await turn.noteEnd(event);
      if (event.type === 'usage') saveUsage(job);
      const action = actions.read(event, actionContextOf(job, turn.orders));
      if (action) {
        const mayWrite = action.kind !== 'read' && action.kind !== 'search';
        // An edit of an agent that has a gate, and the gate never saw it: put back, and a person is asked.
        if (agent.hook && action.kind === 'edit' && action.ok) await writes.putBackUnasked(action.paths);
        if (mayWrite) await writes.checkIfDue();
        job.meter.observe(action);
        // A change that was not looked at yet may be the progress that a guard misses.
        if (mayWrite && job.meter.tripped().length > 0) await writes.check();
      }
      await turn.stopIfTripped();
    };
    const onEvent = (told: AgentEvent): void => {
      const event = asOfThisStart(told, isLostSession(job, orders.turn, session !== undefined));
      job.onProgress({ type: 'agent', event });
      turn.acknowledge(event);
      if (event.type === 'text' || event.type === 'tool_started') turn.noteLife();
      // At once: the conversation is there and what was used is used, however the turn ends.
      if (event.type === 'session' && agent.sessionFiles) keepSession(job, agent.name, event.id);
      if (event.type === 'usage') countUsage(job, agent, orders.turn, event);
      if (event.type === 'text') {
        scanner.feed(event.text.startsWith('{') ? unescapeJsonText(event.text) : event.text);
        return;
      }
      turn.takeEvent(event, handle);
    };
    if (start.session) keepSession(job, agent.name, start.session);
    job.usage.newInvocation();
    const mark = randomBytes(12).toString('hex');
    recordAgent(job.runDir, { mark, gate_dir: gateDir });
    const supervised = superviseAgent({
      argv: start.argv,
      cwd: job.workspace.worktree,
      env: { ...env, ...start.env },
      stdin: start.stdin,
      keepStdinOpen: start.keepStdinOpen,
      mark,
      useCgroup: job.settings.useCgroup,
      onLine(line) {
        const events = reader.read(line);
        if (events) events.forEach(onEvent);
        else scanner.feed(wordsInUnreadLine(line));
      },
      onOverlong: (text, final) => scanner.feed(overlong.feed(text, final)),
      onStderr(text) {
        stderrScanner.feed(text);
        stderr = (stderr + text).slice(-STDERR_KEPT);
        job.onProgress({ type: 'stderr', text });
      },
    });
    const outcome = await turn.run(supervised, writes, (exit) => {
      if (exit.started) reader.end?.({ code: exit.code, signal: exit.signal, stderr }).forEach(onEvent);
      scanner.end();
      stderrScanner.end();
      const leftOut = help.describeLeftOut();
      if (leftOut) job.onProgress({ type: 'problem', text: leftOut });
    });
    const figures = await readFigures(agent, home);
    if (figures) countUsage(job, agent, orders.turn, figures);
    saveUsage(job);
    // What was written last is looked at before the checks run on it, and before it counts as work of an earlier turn.
    if (outcome.kind !== 'stop') await writes.check();
    return outcome;
  } finally {
    await writes.stop();
    await gate.close('the turn is over');
    if (around) await tellPutBack(job, around.putBack());
    // Before anything else looks at the worktree: what was set apart is part of the work.
    await tellBroughtBack(job).catch((error: unknown) =>
      job.onProgress({ type: 'problem', text: `What was set apart is not back yet: ${String(error)}` }),
    );
    await rm(gateDir, { recursive: true, force: true });
    await removeInputs(job).catch((error: unknown) =>
      job.onProgress({ type: 'problem', text: String(error) }),
    );
    forgetAgent(job.runDir);
  }
}

/** "No such conversation" is said of one that was resumed; where none was, it is a failure, which counts. */
function asOfThisStart(event: AgentEvent, mayBeLost: boolean): AgentEvent {
  const isLost = event.type === 'ended' && event.reason === 'no_session';
  return isLost && !mayBeLost ? { ...event, reason: 'failed' } : event;
}

type Placed = { ok: true; apart: SetApart[] } | { ok: false; problem: string };

/** No agent starts on instructions of another turn: what cannot be put in place is an end of the turn, and a person hears of it. */
async function placeConfig(job: Job, agent: Agent, writes: WriteGuard): Promise<Placed> {
  let apart: SetApart[] = [];
  try {
    const tree = job.lastTree ?? job.workspace.base();
    await writes.exchange(async (changed) => {
      apart = await job.agentConfig.place(agent, tree, changed);
      return apart.length > 0;
    });
    if (!job.agentConfig.sawAll()) job.onProgress({ type: 'problem', text: TOO_MANY_DIRECTORIES });
    return { ok: true, apart };
  } catch (error) {
    if (error instanceof WorktreeGoneError) throw error;
    const problem = `the files agents obey could not be restored: ${(error as Error).message}`;
    return { ok: false, problem };
  }
}

type UsageEvent = Extract<AgentEvent, { type: 'usage' }>;

function countUsage(job: Job, agent: Agent, turn: number, event: UsageEvent): void {
  const fresh = job.usage.add(event, job.sessions?.[agent.name]);
  job.meter.observe({ type: 'usage', turn, ...fresh });
}

/** A successor goes on from here: the desk may not have heard of all of it, and some count a conversation from its start. */
function saveUsage(job: Job): void {
  saveCheckpoint(job, { usage: job.usage.total(), counted: job.usage.counted() });
}

/** For agents that leave their figures in a file at their end. */
async function readFigures({ usageFile }: Agent, home: string): Promise<UsageEvent | undefined> {
  if (!usageFile) return undefined;
  const file = await readInside(home, usageFile.path, MAX_FIGURES_BYTES);
  const event = file.ok ? usageFile.read(file.bytes.toString('utf8')) : undefined;
  return event?.type === 'usage' ? event : undefined;
}
