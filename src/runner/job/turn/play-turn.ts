import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Agent } from '../../../agents/agent.ts';
import { worktreeProblem } from '../../../agents/decoded-path.ts';
import type { SetApart } from '../../agent/agent-config.ts';
import { describeKeyless, keyless, unstartable } from '../../agent/agent-end.ts';
import { environmentFor, missingKeys } from '../../agent/agent-environment.ts';
import { agentHomeOf, writeHomeFiles } from '../../agent/agent-home.ts';
import { saveCheckpoint } from '../../checkpoint/checkpoint.ts';
import { openGate } from '../../gate/gate.ts';
import type { WriteGuard } from '../../gate/write-guard.ts';
import { openTurnKeys, type TurnKeys } from '../../key-proxy/turn-keys.ts';
import { readAgentOutput, type StrayPlace } from '../../output/agent-output.ts';
import { forgetAgent, recordAgent } from '../../process/orphans.ts';
import { superviseAgent } from '../../process/supervise.ts';
import { type ControlFilesRecord, recordControlFiles } from '../../workspace/control-files.ts';
import { WorktreeGoneError } from '../../workspace/worktree-gone.ts';
import { secretsIn } from '../actions-secrets.ts';
import { keepSession, toldTo } from '../agent-sessions.ts';
import type { Job, WorkOrders } from '../job.ts';
import { prepareHome } from '../prepare-home.ts';
import { controlFilesDir, reportReverted, restoreRunConfig } from '../revert-control-files.ts';
import { countUsageFile, saveUsage } from './count-usage.ts';
import { LiveTurn, type TurnOutcome } from './live-turn.ts';
import { RunningAgent } from './running-agent.ts';
import { TurnEvents } from './turn-events.ts';
import { prepareTurn, removeInputs } from './turn-files.ts';
import { isApproval } from './turn-limits.ts';
import { createTurnWrites } from './turn-writes.ts';

const TOO_MANY_DIRECTORIES =
  'The worktree has too many directories: not all were searched for instructions of an earlier turn that git ignores.';

/** One invocation of the agent: prepares all it needs, runs it to its end, and cleans up after it. */
export async function playTurn(job: Job, orders: WorkOrders): Promise<TurnOutcome> {
  const agent = job.agentFor(orders.agent);
  if (!agent) {
    const exit = `there is no agent ${orders.agent}`;
    job.meter.observe(unstartable(orders.agent, exit, orders.turn, job.now().toISOString()));
    return { kind: 'ended', exit, failed: true };
  }
  const unreachable = worktreeProblem(agent, job.workspace.worktree);
  if (unreachable) {
    job.meter.observe(unstartable(agent.name, unreachable, orders.turn, job.now().toISOString()));
    return { kind: 'ended', exit: unreachable, failed: true };
  }
  const keys = missingKeys(agent, job.agentEnv);
  if (keys) {
    job.meter.observe(keyless(agent.name, keys, orders.turn, job.now().toISOString()));
    return { kind: 'ended', exit: describeKeyless(agent.name, keys), failed: true };
  }
  const gateDir = await mkdtemp(join(tmpdir(), 'autobuild-'));
  const live = new LiveTurn(job, orders, agent);
  const writes = createTurnWrites(job, live, agent);
  const gate = await openGate({ socketPath: join(gateDir, 'gate'), decide: writes.decideAsk });
  let controlFiles: ControlFilesRecord | undefined;
  let turnKeys: TurnKeys | undefined;
  try {
    // `lastTree` was recorded for this turn, a moment ago.
    await writes.begin(job.lastTree);
    // Files that an answer approved are restored before the agent starts.
    await writes.settle('the turn was restarted', { approved: isApproval(orders) });
    const placed = await placeConfig(job, agent, writes);
    if (!placed.ok) return { kind: 'ended', exit: placed.problem, failed: true };
    controlFiles = await recordControlFiles(job.workspace.worktree, controlFilesDir(job), agent);
    // Loaded while files are prepared, because of the YAML parser; and before an agent starts, which could change the file.
    const helpRequest = import('../../output/help-request.ts');
    const home = agentHomeOf(job.runDir);
    const session = await prepareHome(job, agent);
    const { tells, ...prepared } = await prepareTurn(job, orders, {
      gate: gate.socketPath,
      apart: placed.apart,
      told: toldTo(job, agent.name, session),
    });
    const named = secretsIn(orders).map(({ name }) => name);
    turnKeys = await openTurnKeys(agent, environmentFor(agent, job.agentEnv, named), named);
    const { env, custody, modelAddress } = turnKeys;
    const start = agent.start({
      ...prepared,
      cwd: job.workspace.worktree,
      home,
      session,
      newSession: randomUUID(),
      hook: job.hookFor?.(agent.name) ?? [],
      env,
      modelAddress,
    });
    await writeHomeFiles(home, start.homeFiles ?? []);
    await live.announce(custody);
    const { parseHelpRequest } = await helpRequest;
    const output = readAgentOutput(agent.createReader(), {
      event: (event) => events.receive(event),
      helpBlock: (block) => live.enqueue(() => live.askForHelp(() => parseHelpRequest(block))),
      strayHelp: (place) => noteStrayHelp(job, place),
      problem: (text) => job.onProgress({ type: 'problem', text }),
    });
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
      enter: job.box.enter,
      share: [gateDir],
      onLine: output.line,
      onOverlong: output.overlong,
      onStderr(text) {
        output.stderr(text);
        job.onProgress({ type: 'stderr', text });
      },
    });
    const running = new RunningAgent(agent, supervised, job.settings.graceMs);
    const events = new TurnEvents({
      job,
      adapter: agent,
      live,
      agent: running,
      writes,
      resumed: session !== undefined,
      tells,
    });
    const outcome = await live.run(running, writes, (exit) =>
      output.end(exit.started ? { code: exit.code, signal: exit.signal } : undefined),
    );
    await countUsageFile(job, agent, orders.turn, home);
    saveUsage(job);
    // The agent's last writes are judged before the checks run on them, and before they count as work of an earlier turn.
    await writes.undoOwnRewrite();
    if (outcome.kind !== 'stop') await writes.check();
    return outcome.kind === 'ended' && outcome.failed
      ? { ...outcome, words: output.lastWords(), silent: !running.wasActive }
      : outcome;
  } finally {
    await writes.stop();
    await gate.close('the turn is over');
    await turnKeys?.close();
    if (controlFiles) await reportReverted(job, controlFiles.revert());
    // Before anything else looks at the worktree, because the files set apart are part of the work.
    await restoreRunConfig(job).catch((error: unknown) =>
      job.onProgress({ type: 'problem', text: `What was set apart is not back yet: ${String(error)}` }),
    );
    await rm(gateDir, { recursive: true, force: true });
    await removeInputs(job).catch((error: unknown) =>
      job.onProgress({ type: 'problem', text: String(error) }),
    );
    forgetAgent(job.runDir);
  }
}

type Placed = { ok: true; apart: SetApart[] } | { ok: false; problem: string };

/** A failure ends the turn and reaches a person, because no agent may start on instructions of another turn. */
async function placeConfig(job: Job, agent: Agent, writes: WriteGuard): Promise<Placed> {
  let apart: SetApart[] = [];
  try {
    const tree = job.lastTree ?? job.workspace.base();
    await writes.applyOwnChanges(async (changed) => {
      apart = await job.agentConfig.place(agent, tree, changed);
      return apart.length > 0;
    });
    if (!job.agentConfig.sawAll()) job.onProgress({ type: 'problem', text: TOO_MANY_DIRECTORIES });
    return { ok: true, apart };
  } catch (error) {
    if (error instanceof WorktreeGoneError) throw error;
    const problem = `the files that agents follow could not be restored: ${(error as Error).message}`;
    return { ok: false, problem };
  }
}

/** Said once per place and turn, so that a flood of them costs nothing. */
function noteStrayHelp(job: Job, place: StrayPlace): void {
  if (job.strayHelp.has(place)) return;
  job.strayHelp.add(place);
  // The next turn may be another job's.
  saveCheckpoint(job, { stray_help: [...job.strayHelp] });
  const text = `A help block in ${place} is no call for help. The agent is told so with its next turn.`;
  job.onProgress({ type: 'problem', text });
}
