import { join, relative, resolve } from 'node:path';
import type { Agent } from '../../agents/agent.ts';
import { agentNamed, agentNames } from '../../agents/registry.ts';
import { describeProblem } from '../../config/config-problem.ts';
import { type Config, defaultConfig, readConfig } from '../../config/read-config.ts';
import { AGENT_NAME, AGENT_NAME_FORM } from '../../core/agent-name.ts';
import { CONFIG_PATH } from '../../core/config-path.ts';
import type { RunState } from '../../core/contracts/run-state.ts';
import { userError } from '../../core/error-catalogue.ts';
import { checkWorktreePath } from '../../core/work/worktree-path.ts';
import { withRunLimit } from '../../guards/observe.ts';
import { detectChecks } from '../../runner/checks/detect-checks.ts';
import { findExecutable } from '../../runner/process/find-executable.ts';
import { locate, makeWorktree, type Place, refuseDirtyTree } from '../choose-worktree.ts';
import { describePlan } from '../describe-plan.ts';
import { headOf } from '../describe-work.ts';
import { findAgentVersion } from '../doctor/agent-version.ts';
import { checkAgent } from '../doctor/check-agent.ts';
import { versionWarning } from '../doctor/cli-version.ts';
import { newRunId, type RunFile } from '../home.ts';
import { loadTask } from '../load-task.ts';
import { type CliOptions, usage } from '../options.ts';
import { quoteWord } from '../package/quote-word.ts';
import { forgetEarlierRounds } from '../past-runs/rest-conversations.ts';
import { readTextFile } from '../read-text-file.ts';
import { repositoryFiles } from '../repository-files.ts';
import { withWorktreeLock } from '../with-worktree-lock.ts';
import { type CliContext, workOnRun } from '../work-on-run.ts';

const MAX_CONFIG_BYTES = 1024 * 1024;

/** Everything that is known before a run starts. */
async function planRun(options: CliOptions, env: Record<string, string>) {
  const place = await locate(options.directory, env);
  const { top, part } = place;
  const config = loadConfig(options, top);
  const read = await loadTask(options, env);
  // A task without a scope of its own is about the part that `--directory` named.
  const scope = read.scope ?? config.scope ?? (options.directoryGiven && part ? [`${part}/**`] : undefined);
  const task = { ...read, scope };
  const checks = chooseChecks(options, config, place);
  if (checks.length === 0) throw userError('checks_missing', { config: CONFIG_PATH });
  const { name, agents } = chooseAgent(options, config, place);
  const builtIn = checkAgent(name, agents, { worktree: top, env });
  const git = findExecutable('git', { cwd: top, path: env.PATH ?? '' });
  if ('problem' in git) throw userError('git_missing');
  await refuseDirtyTree(place, options, env);
  const limits = options.maxTurns ? withRunLimit(config.guards, 'turns', options.maxTurns) : config.guards;
  return { place, config, task, checks, name, agents, builtIn, limits };
}

/** `autobuild run --dry-run` makes the same checks as the run itself, and says what would run. It writes nothing. */
export async function dryRunCommand(options: CliOptions, env: Record<string, string>): Promise<string[]> {
  return describePlan(await planRun(options, env), options);
}

/** `autobuild run` finds every mistake it can before it starts or writes anything. */
export async function runCommand(options: CliOptions, context: CliContext): Promise<RunState> {
  const { env, home } = context;
  const { place, config, task, checks, name, agents, builtIn, limits } = await planRun(options, env);
  const { top, part } = place;
  const run = newRunId();
  const own = options.worktree ? await makeWorktree(place, { id: run, task: task.id }, home, env) : undefined;
  const worktree = own?.directory ?? top;
  const file: RunFile = {
    run,
    worktree,
    state_dir: config.state_dir,
    agents,
    junit: config.junit,
    turn_minutes: config.limits.turn_minutes,
    check_minutes: config.limits.check_minutes,
    isolation: config.isolation,
    check_isolation: config.check_isolation,
    created_at: new Date().toISOString(),
    head: await headOf(worktree, env),
    max_rounds: config.revisions.max,
    ...(own ? { repository: top, branch: own.branch } : {}),
  };
  return withWorktreeLock(home, file, async () => {
    await forgetEarlierRounds(home, file);
    home.saveRun(file);
    context.screen.start(run, task, checks, { part, own });
    if (builtIn) void warnOfAgent(builtIn, worktree, context);
    return workOnRun(file, context, async (desk) => {
      await desk.handleOnce(run, {
        type: 'request',
        at: file.created_at,
        run,
        task,
        agent: name,
        agents: [...new Set([...Object.keys(agents), ...agentNames()])],
        checks,
        limits,
        known_errors: config.known_errors,
        reminders: {
          every_ms: config.waiting.remind_minutes * 60_000,
          high_every_ms: config.waiting.remind_high_minutes * 60_000,
        },
        requested_by: context.screen.user,
      });
    });
  });
}

/** Runs beside the job, because some CLIs take seconds to print their version. */
async function warnOfAgent(agent: Agent, cwd: string, { env, screen }: CliContext): Promise<void> {
  const found = await findAgentVersion(agent, { cwd, env });
  if (found.is === 'broken') {
    const words = found.words ? ` It said: ${found.words}` : '';
    screen.note(`${agent.name} here does not work: ${found.problem}.${words} See: autobuild doctor`);
  }
  const warning = found.is === 'there' && versionWarning(agent, found.version);
  if (warning) screen.note(warning);
}

/**
 * With `builtInAgents`, a config that names an unknown agent is refused. `run` leaves it out, because its options may
 * name another agent.
 */
export function loadConfig(
  options: { config?: string },
  worktree: string,
  builtInAgents?: readonly string[],
): Config {
  const file = options.config ? resolve(options.config) : join(worktree, CONFIG_PATH);
  // As the shell finds it, which may be in a subdirectory.
  const shown = options.config ?? relative('', file);
  const names = { file: shown, word: quoteWord(shown) };
  const content = readTextFile(file, MAX_CONFIG_BYTES);
  if ('problem' in content) {
    if (content.missing && options.config) throw userError('config_missing', { file: options.config });
    if (content.missing) return defaultConfig();
    throw userError('config_invalid', { ...names, problems: [`cannot be read: ${content.problem}`] });
  }
  const read = readConfig(content.text, builtInAgents);
  const problems = read.ok ? stateDirProblems(read.config.state_dir) : read.problems.map(describeProblem);
  if (read.ok && problems.length === 0) return read.config;
  throw userError('config_invalid', { ...names, problems });
}

function stateDirProblems(stateDir: string): string[] {
  const checked = checkWorktreePath(stateDir);
  if (checked.ok) return [];
  return [
    describeProblem({
      key: 'state_dir',
      found: JSON.stringify(stateDir),
      allowed: `a directory inside the worktree (${checked.problem})`,
    }),
  ];
}

/** Checks given on the command line, and those of a part with a manifest of its own, run in that part. */
function chooseChecks({ verify }: CliOptions, config: Config, { top, part }: Place): string[] {
  if (verify.length > 0) return inPart(verify, part);
  if (config.verify) return config.verify;
  const own = part ? detectChecks(repositoryFiles(join(top, part))) : [];
  return own.length > 0 ? inPart(own, part) : detectChecks(repositoryFiles(top));
}

function inPart(commands: string[], part: string): string[] {
  if (!part) return commands;
  const enter = `cd ${quoteWord(part)}`;
  return commands.map((command) =>
    /[;&|#\n]/.test(command) ? `${enter} && {\n${command}\n}` : `${enter} && ${command}`,
  );
}

function chooseAgent(
  options: CliOptions,
  config: Config,
  { top, part }: Place,
): { name: string; agents: Record<string, string[]> } {
  const agents = Object.fromEntries(
    Object.entries(config.agents).map(([name, { command }]) => [name, command]),
  );
  if (options.agentCommand.length > 0) {
    const name = options.agent ?? 'command';
    if (!AGENT_NAME.test(name)) throw usage(`--agent takes a name of ${AGENT_NAME_FORM}.`);
    const [program = '', ...args] = options.agentCommand;
    // The agent starts at the top, maybe of a worktree of its own, but the path was typed here.
    const path = program.includes('/') ? resolve(top, part, program) : program;
    return { name, agents: { ...agents, [name]: [path, ...args] } };
  }
  const name =
    options.agent ?? config.agent ?? (Object.keys(agents).length === 1 ? Object.keys(agents)[0] : undefined);
  if (!name) throw userError('agent_missing');
  if (!agents[name] && !agentNamed(name)) {
    throw userError('agent_unknown', { name, known: [...Object.keys(agents), ...agentNames()] });
  }
  return { name, agents };
}
