import { basename, join, resolve } from 'node:path';
import type { Agent } from '../../agents/agent.ts';
import { agentNamed, agentNames } from '../../agents/registry.ts';
import { readTask } from '../../commands/reading/read-task.ts';
import { describeProblem } from '../../config/config-problem.ts';
import { type Config, defaultConfig, readConfig } from '../../config/read-config.ts';
import { AGENT_NAME, AGENT_NAME_FORM } from '../../core/agent-name.ts';
import { CONFIG_PATH } from '../../core/config-path.ts';
import type { RunState } from '../../core/contracts/run-state.ts';
import type { Task } from '../../core/contracts/task.ts';
import { userError } from '../../core/error-catalogue.ts';
import { checkWorktreePath } from '../../core/work/worktree-path.ts';
import { withRunLimit } from '../../guards/observe.ts';
import { environmentFor } from '../../runner/agent/agent-environment.ts';
import { detectChecks } from '../../runner/checks/detect-checks.ts';
import { findExecutable } from '../../runner/process/find-executable.ts';
import { checkAgent } from '../doctor/check-agent.ts';
import { findVersion, versionWarning } from '../doctor/cli-version.ts';
import { newRunId, type RunFile, realDirectory } from '../home.ts';
import { type CliOptions, usage } from '../options.ts';
import { readTextFile } from '../read-text-file.ts';
import { repositoryFiles } from '../repository-files.ts';
import { withWorktreeLock } from '../with-worktree-lock.ts';
import { type CliContext, workOnRun } from '../work-on-run.ts';

const MAX_TASK_BYTES = 1024 * 1024;
const MAX_CONFIG_BYTES = 1024 * 1024;

/** `autobuild run` finds every mistake it can before it starts or writes anything. */
export async function runCommand(options: CliOptions, context: CliContext): Promise<RunState> {
  const [taskFile, ...extra] = options.operands;
  if (!taskFile) throw usage('autobuild run needs a task file.');
  if (extra.length > 0) throw usage(`autobuild run takes one task file, not also ${extra.join(' ')}.`);
  const worktree = realDirectory(options.directory);
  const config = loadConfig(options, worktree);
  const { task, hidden } = loadTask(taskFile, config);
  const checks =
    options.verify.length > 0 ? options.verify : (config.verify ?? detectChecks(repositoryFiles(worktree)));
  if (checks.length === 0) throw userError('checks_missing', { config: CONFIG_PATH });
  const { name, agents } = chooseAgent(options, config);
  const { env } = context;
  const builtIn = checkAgent(name, agents, { worktree, env });
  const git = findExecutable('git', { cwd: worktree, path: env.PATH ?? '' });
  if ('problem' in git) throw userError('git_missing');
  const run = newRunId();
  const file: RunFile = {
    run,
    worktree,
    state_dir: config.state_dir,
    agents,
    junit: config.junit,
    turn_minutes: config.limits.turn_minutes,
    check_minutes: config.limits.check_minutes,
    created_at: new Date().toISOString(),
  };
  return withWorktreeLock(context.home, file, () => {
    context.home.saveRun(file);
    context.screen.start(run, task, checks, hidden);
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
        limits: options.maxTurns ? withRunLimit(config.guards, 'turns', options.maxTurns) : config.guards,
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
  const found = await findVersion(agent.program ?? agent.name, { cwd, env: environmentFor(agent, env) });
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
  const shown = options.config ?? CONFIG_PATH;
  const content = readTextFile(file, MAX_CONFIG_BYTES);
  if ('problem' in content) {
    if (content.missing && options.config) throw userError('config_missing', { file: options.config });
    if (content.missing) return defaultConfig();
    throw userError('config_invalid', { file: shown, problems: [`cannot be read: ${content.problem}`] });
  }
  const read = readConfig(content.text, builtInAgents);
  const problems = read.ok ? stateDirProblems(read.config.state_dir) : read.problems.map(describeProblem);
  if (read.ok && problems.length === 0) return read.config;
  throw userError('config_invalid', { file: shown, problems });
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

function loadTask(taskFile: string, config: Config): { task: Task; hidden: number } {
  const content = readTextFile(resolve(taskFile), MAX_TASK_BYTES);
  if ('problem' in content) {
    if (content.missing) throw userError('task_file_missing', { file: taskFile, reason: content.problem });
    throw userError('task_file_unusable', { file: taskFile, problem: `${content.problem}.` });
  }
  const id = basename(taskFile)
    .replace(/\.[^.]*$/, '')
    .replaceAll(/[^A-Za-z0-9._-]/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 100);
  const read = readTask(content.text, { id: id || 'task', source: taskFile });
  if (!read.ok) throw userError('task_file_unusable', { file: taskFile, problem: read.problem });
  const scope = read.task.scope ?? config.scope;
  return { task: { ...read.task, scope }, hidden: read.hidden_characters };
}

function chooseAgent(
  options: CliOptions,
  config: Config,
): { name: string; agents: Record<string, string[]> } {
  const agents = Object.fromEntries(
    Object.entries(config.agents).map(([name, { command }]) => [name, command]),
  );
  if (options.agentCommand.length > 0) {
    const name = options.agent ?? 'command';
    if (!AGENT_NAME.test(name)) throw usage(`--agent takes a name of ${AGENT_NAME_FORM}.`);
    return { name, agents: { ...agents, [name]: options.agentCommand } };
  }
  const name =
    options.agent ?? config.agent ?? (Object.keys(agents).length === 1 ? Object.keys(agents)[0] : undefined);
  if (!name) throw userError('agent_missing');
  if (!agents[name] && !agentNamed(name)) {
    throw userError('agent_unknown', { name, known: [...Object.keys(agents), ...agentNames()] });
  }
  return { name, agents };
}
