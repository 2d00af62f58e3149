import { readTask } from '../../commands/reading/read-task.ts';
import { type Config, defaultConfig, readConfig } from '../../config/read-config.ts';
import { CONFIG_PATH, WORKFLOW_FILE, WORKFLOW_PATH } from '../../core/config-path.ts';
import type { NotStartedNotice, Reply } from '../../core/contracts/effect.ts';
import type { Input } from '../../core/contracts/input.ts';
import type { ReminderPlan } from '../../core/contracts/run-event.ts';
import { isUnderWay } from '../../core/contracts/run-state.ts';
import { handle } from '../../core/decide/handle.ts';
import type { GitHub, IssueEvent } from '../../core/ports/github-port.ts';
import type { Labelling } from '../../core/ports/labellings.ts';
import type { RunTarget } from '../../core/ports/run-target.ts';
import type { AppDependencies, Repository } from '../dependencies.ts';
import { isSetAgain, labellingOf, newestLabelled, ONE_CLICK_MS } from '../labelling.ts';
import { withCommentsBefore } from './comments-before-label.ts';
import { onLabelBack } from './label-gone.ts';
import { mayStart } from './permission.ts';

type Problem = Pick<NotStartedNotice, 'headline' | 'problems' | 'next'>;

interface Labelled extends Repository {
  issue: number;
  login: string;
  /** The idempotency key, made from the delivery or from the reconcile step. */
  seen: string;
  /** The time the label was set, by GitHub's clock. */
  at: string;
  /** GitHub's event of the label, if the caller has read it already. */
  set?: IssueEvent;
  /** The issue's text at that time (R-8). Undefined if it is not known. */
  text: { title: string; body: string } | undefined;
}

/** Starts a run if the person who set the label may do so and the repository has everything a run needs. */
export async function onIssueLabelled(deps: AppDependencies, labelled: Labelled): Promise<void> {
  const { issue, login } = labelled;
  const github = await deps.github(labelled);
  let labelling: Labelling = { at: labelled.at };
  const refuse = (problem: Problem) => notStarted(deps, github, labelled, labelling, problem);
  if (!(await mayStart(github, login))) {
    return refuse({
      headline: 'only people with write access can start a run',
      problems: [],
      next: 'ask someone with write access to set the label.',
    });
  }
  const branch = await github.defaultBranch();
  labelling = await findLabelling(deps, github, labelled);
  const active = await deps.store.runs.ofIssue(branch.repo_id, issue);
  if (active) {
    const { state } = await deps.store.runs.load(active);
    if (state && isUnderWay(state)) return onLabelBack(deps, active);
    if (state && !isSetAgain(await labellingOf(deps, state), labelling)) return;
  }
  const text = await github.file(CONFIG_PATH, branch.sha);
  const read = text === undefined ? { ok: true as const, config: defaultConfig() } : readConfig(text);
  if (!read.ok) {
    return refuse({
      headline: `\`${CONFIG_PATH}\` has ${read.problems.length === 1 ? '1 error' : `${read.problems.length} errors`}`,
      problems: read.problems,
      next: `edit the file on \`${branch.name}\`, then label the issue again.`,
    });
  }
  const config = withDefaults(read.config, deps.settings.defaults);
  const needed = await missingParts(deps, github, config, branch.name);
  if (needed) return refuse(needed);
  const present = await github.issue(issue);
  if (!present || present.state === 'closed' || present.locked) return;
  const { text: snapshot } = labelled;
  if (!snapshot) {
    return refuse({
      headline: 'the issue may have been edited after it was labelled',
      problems: [],
      next: 'read it as it is now, then set the label again.',
    });
  }
  const task = readTask(snapshot.body, {
    id: `issue-${issue}`,
    source: `#${issue}`,
    title: snapshot.title,
  });
  if (!task.ok) {
    return refuse({ headline: 'the issue cannot be used as a task', problems: [], next: task.problem });
  }
  const { limits } = config;
  const { capabilities } = deps.settings;
  const isLimited = capabilities.repository_limits !== false;
  const target: RunTarget = {
    installation_id: labelled.installation_id,
    owner: labelled.owner,
    repo: labelled.repo,
    repo_id: branch.repo_id,
    issue,
    default_branch: branch.name,
    head_sha: branch.sha,
    private: branch.private,
    workflow: WORKFLOW_FILE,
    // Where GitHub asks before it runs CI, nothing else has to hold it back.
    ci: capabilities.ci_approval ? 'always' : config.ci,
    labelled_by: login,
    roles: config.roles,
    protected_paths: config.protected_paths,
    parallel: limits.parallel,
    monthly_dollars: isLimited && limits.monthly_dollars !== 'off' ? limits.monthly_dollars : undefined,
    revisions: config.revisions,
    notify: config.notify,
  };
  const told = await withCommentsBefore(github, issue, task.task, labelled.at);
  const run = `i${issue}-${deps.hash(labelled.seen).slice(0, 8)}`;
  const input: Input = {
    ...request(run, { ...told, scope: told.scope ?? config.scope }, config, target, deps),
    reply: active ? await sayNewRun(deps, active, branch.name) : undefined,
  };
  // The key lets only one of several desks start the run that follows the active one.
  const once = `start:${branch.repo_id}#${issue}:${active ?? ''}`;
  await handle(deps.store.runs, deps.rules, run, input, { target, labelling, seen: [labelled.seen, once] });
}

/** V-1: the pull request of the run before was ready, and people may have meant a round of it. */
async function sayNewRun(deps: AppDependencies, before: string, base: string): Promise<Reply | undefined> {
  const { state } = await deps.store.runs.load(before);
  const { pull } = await deps.store.publications.of(before);
  if (state?.status !== 'reviewing' || pull === undefined) return undefined;
  return {
    tone: 'info',
    title: `A new run starts from \`${base}\`. Its work will replace that of pull request #${pull}.`,
    detail:
      'The run before takes no more rounds. To have a ready pull request changed, request changes there, or use `/guide <what to change>`.',
  };
}

function withDefaults(config: Config, defaults: AppDependencies['settings']['defaults']): Config {
  if (!defaults) return config;
  const isNamed = config.agent !== undefined || Object.keys(config.agents).length > 0;
  return {
    ...config,
    agent: isNamed ? config.agent : defaults.agent,
    verify: config.verify ?? (defaults.checks.length > 0 ? defaults.checks : undefined),
  };
}

/** GitHub's list of events may lag behind its webhooks. */
async function findLabelling(
  deps: AppDependencies,
  github: GitHub,
  { issue, at, set }: Labelled,
): Promise<Labelling> {
  const newest = set ?? newestLabelled(await github.issueEvents(issue), deps.settings.label);
  const isIt = newest && Date.parse(newest.created_at) >= Date.parse(at) - ONE_CLICK_MS;
  return isIt ? { event: newest.id, at: newest.created_at } : { at };
}

async function missingParts(
  deps: AppDependencies,
  github: GitHub,
  config: Config,
  branch: string,
): Promise<Problem | undefined> {
  const workflow = await github.workflow(WORKFLOW_FILE);
  if (workflow === 'disabled') {
    return {
      headline: 'GitHub Actions is disabled for this repository',
      problems: [],
      next: 'enable it in the repository settings, then label the issue again.',
    };
  }
  if (workflow === 'missing') {
    return {
      headline: `\`${WORKFLOW_PATH}\` is not on \`${branch}\``,
      problems: [],
      next: 'run `autobuild init`, commit the files it writes, then label the issue again.',
    };
  }
  if (!config.verify) {
    return {
      headline: 'no checks are configured, so nothing could tell when the task is done',
      problems: [],
      next: `add, for example, \`verify: ["npm test"]\` to \`${CONFIG_PATH}\`, then label the issue again.`,
    };
  }
  const agent = agentOf(config);
  const known = agentsKnown(deps, config);
  if (!known.includes(agent)) {
    return {
      headline: `there is no agent \`${agent}\``,
      problems: [],
      next: `use one of ${known.map((name) => `\`${name}\``).join(', ')} in \`${CONFIG_PATH}\`, or define it there under \`agents:\`; then label the issue again.`,
    };
  }
  return undefined;
}

function agentOf(config: Config): string {
  return config.agent ?? Object.keys(config.agents)[0] ?? 'claude';
}

function agentsKnown(deps: AppDependencies, config: Config): string[] {
  return [...new Set([...Object.keys(config.agents), ...deps.agents])];
}

function request(
  run: string,
  task: Extract<Input, { type: 'request' }>['task'],
  config: Config,
  target: RunTarget,
  deps: AppDependencies,
): Extract<Input, { type: 'request' }> {
  return {
    type: 'request',
    at: deps.now().toISOString(),
    run,
    task,
    agent: agentOf(config),
    agents: agentsKnown(deps, config),
    checks: config.verify ?? [],
    limits: config.guards,
    known_errors: config.known_errors,
    reminders: reminderPlan(config.waiting),
    requested_by: target.labelled_by,
    fresh_verification: true,
  };
}

function reminderPlan({
  remind_minutes,
  remind_high_minutes,
  expire_minutes,
}: Config['waiting']): ReminderPlan {
  return {
    every_ms: remind_minutes * 60_000,
    high_every_ms: remind_high_minutes * 60_000,
    expire_ms: expire_minutes === 'off' ? undefined : expire_minutes * 60_000,
  };
}

/** One notice per label. */
async function notStarted(
  deps: AppDependencies,
  github: GitHub,
  labelled: Labelled,
  labelling: Labelling,
  problem: Problem,
): Promise<void> {
  const { installation_id, owner, repo, issue, login, seen } = labelled;
  const { repo_id } = await github.defaultBranch();
  const id = `${issue}.not-started.${deps.hash(seen).slice(0, 8)}`;
  const notice: NotStartedNotice = {
    type: 'notice',
    installation_id,
    owner,
    repo,
    issue,
    ...problem,
    mention: login,
    set: { repo_id, ...labelling },
  };
  // Desks of older versions marked an answered label with the second key.
  if (await deps.store.runs.wasSeen(`not-started:${id}`)) return;
  await deps.store.runs.write({ installation_id, repo_id, issue }, id, [notice], [seen]);
}
