import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { agentNames } from '../../agents/registry.ts';
import { type Config, readConfig } from '../../config/read-config.ts';
import { CONFIG_PATH, WORKFLOW_PATH } from '../../core/config-path.ts';
import { userError } from '../../core/error-catalogue.ts';
import { readInside } from '../../runner/disk/read-inside.ts';
import { locate } from '../choose-worktree.ts';
import { realDirectory } from '../home.ts';
import type { Blueprint } from '../init/blueprint.ts';
import { chooseAction } from '../init/choose-action.ts';
import { findSetUp } from '../init/find-set-up.ts';
import { findGh, repositoryForGh } from '../init/gh.ts';
import { findLeftToPush } from '../init/left-to-push.ts';
import { describeOutcome } from '../init/next-steps.ts';
import { openPullRequest } from '../init/open-pull-request.ts';
import { findOtherAgent } from '../init/other-agent.ts';
import { planAgent } from '../init/plan-agent.ts';
import { describeDifference, fateOf, type PlannedFile, writeFiles } from '../init/planned-file.ts';
import { type Base, fetchBase, pushBranch, readOnBase } from '../init/push-branch.ts';
import { readDesk } from '../init/read-desk.ts';
import { findOtherBranch, findRemote, type Remote } from '../init/remote.ts';
import { renderAppWorkflow } from '../init/render-app-workflow.ts';
import { renderConfig } from '../init/render-config.ts';
import { renderRunWorkflow } from '../init/render-run-workflow.ts';
import { setStateKey } from '../init/set-state-key.ts';
import type { SetUp } from '../init/set-up.ts';
import { withoutCaches } from '../init/without-caches.ts';
import { type CliOptions, usage } from '../options.ts';
import { packageFile } from '../package/package-file.ts';
import { repositoryFiles } from '../repository-files.ts';

/** The first line of the settings file names the schema, for editors. */
const SCHEMA_PATH = '.github/autobuild.schema.json';
const REMINDERS_PATH = '.github/workflows/autobuild-reminders.yml';
const MAX_BYTES = 1024 * 1024;
const DEFAULT_AGENT = 'claude';

type InitOptions = Pick<
  CliOptions,
  | 'argv'
  | 'cwd'
  | 'directory'
  | 'force'
  | 'action'
  | 'app'
  | 'reminders'
  | 'desk'
  | 'agent'
  | 'key'
  | 'dryRun'
  | 'pullRequest'
>;

interface InitContext {
  env: Record<string, string>;
  /** Asks the person at the terminal. Absent if nobody is there. An empty answer takes the default, undefined is none. */
  ask?(question: string): Promise<string | undefined>;
}

/**
 * `autobuild init` writes the files a repository needs, filled in for its languages, checks and agent. It reports what it
 * wrote and kept, and the commands that are left.
 */
export async function initCommand(
  options: InitOptions,
  { env, ask }: InitContext,
): Promise<{ lines: string[]; ok: boolean }> {
  if (options.dryRun && options.pullRequest)
    throw usage('autobuild init takes --dry-run or --pull-request, not both.');
  const action = chooseAction(options.action, undefined, options.argv);
  const isForApp = options.app || options.desk !== undefined;
  if (isForApp && options.reminders)
    throw usage('An App reminds by itself: autobuild init takes --reminders or --app.');
  const app = isForApp ? { desk: readDesk(options.desk ?? (await askForDesk(ask))) } : undefined;
  const { top } = await locate(options.directory, env);
  if (!existsSync(join(top, '.git'))) throw userError('repository_missing', { directory: top });
  const { remote, elsewhere } = await findRemote(top, env);
  if (options.pullRequest && !remote) throw userError('remote_missing', { directory: top });
  const base = options.pullRequest && remote ? await fetchBase(top, remote, env) : undefined;
  const read = (path: string) => (base ? readOnBase(top, base, path, env) : readHere(top, path));

  const present = await read(CONFIG_PATH);
  const config = options.force ? undefined : readSettings(present);
  const agent = planAgent(
    options.agent ?? config?.agent ?? (await askForAgent(config, ask)),
    Object.keys(config?.agents ?? {}),
    options.key,
  );
  const found = findSetUp(repositoryFiles(top));
  const blueprint: Blueprint = { setUp: obeySettings(found, config), agent, action, app };
  const files: PlannedFile[] = [
    {
      path: WORKFLOW_PATH,
      text: app ? renderAppWorkflow(blueprint, app) : renderRunWorkflow(blueprint),
      present: await read(WORKFLOW_PATH),
    },
    ...(options.reminders
      ? [
          {
            path: REMINDERS_PATH,
            text: renderRunWorkflow(blueprint, 'templates/reminders.yml'),
            present: await read(REMINDERS_PATH),
          },
        ]
      : []),
    { path: CONFIG_PATH, text: renderConfig(agent.name, found.checks), present },
    {
      path: SCHEMA_PATH,
      text: packageFile('templates/autobuild.schema.json'),
      present: await read(SCHEMA_PATH),
    },
  ];
  const wanted = files.filter((file) => ['written', 'replaced'].includes(fateOf(file, options.force)));
  const lines = await describeFiles(files, options, env);
  const other = findOtherAgent(files, { agent, configured: config?.agent, force: options.force });
  lines.push(...other.lines);
  if (!options.dryRun && !options.pullRequest) await writeFiles(top, wanted);
  if (remote && base)
    lines.push(...(await propose(top, { remote, base, files: wanted, blueprint }, options, env)));
  const stateKey = await offerStateKey(top, { remote, isAsked: !app && !options.dryRun }, { env, ask });
  lines.push(
    ...stateKey.lines,
    '',
    ...describeOutcome({
      blueprint,
      way: relative(realDirectory(options.cwd), top),
      remote,
      elsewhere,
      otherBranch: remote && (await findOtherBranch(top, remote, env)),
      left: options.pullRequest
        ? { toCommit: [] }
        : await findLeftToPush(
            top,
            files
              .filter((file) => fateOf(file, options.force) !== 'kept' || other.paths.includes(file.path))
              .map((file) => ({
                path: file.path,
                isWritten: wanted.includes(file) || other.paths.includes(file.path),
              })),
            remote,
            env,
          ),
      isProposed: base !== undefined && wanted.length > 0,
      hasStateKey: stateKey.isThere,
    }),
  );
  if (options.dryRun) lines.push('', 'This was a dry run: nothing was written.');
  return { lines, ok: files.every((file) => fateOf(file, options.force) !== 'kept') };
}

/** With a person and gh at hand, one command less is left to do. */
async function offerStateKey(
  top: string,
  { remote, isAsked }: { remote: Remote | undefined; isAsked: boolean },
  { env, ask }: InitContext,
): ReturnType<typeof setStateKey> {
  const gh = isAsked && ask && remote ? findGh({ cwd: top, env }) : undefined;
  if (!gh || !ask || !remote) return { isThere: false, lines: [] };
  return setStateKey({ gh, ask, repository: repositoryForGh(remote) });
}

/** Settings that are there are kept, so the run will obey them. */
function obeySettings(found: SetUp, config: Config | undefined): SetUp {
  const checks = config?.verify ?? found.checks;
  if (config?.isolation !== 'best') return { ...found, checks };
  const note =
    'Set-up steps cache nothing, because `isolation: best` allows runs without a box: SECURITY.md.';
  return { ...found, checks, parts: withoutCaches(found.parts), notes: [...found.notes, note] };
}

async function readHere(top: string, path: string): Promise<PlannedFile['present']> {
  const found = await readInside(top, path, MAX_BYTES);
  if (found.ok) return { text: found.bytes.toString('utf8') };
  return existsSync(join(top, path)) ? 'unreadable' : undefined;
}

/** The settings that are there, if they can be used. */
function readSettings(present: PlannedFile['present']): Config | undefined {
  if (present === undefined || present === 'unreadable') return undefined;
  const read = readConfig(present.text, agentNames());
  return read.ok ? read.config : undefined;
}

async function askForAgent(config: Config | undefined, ask: InitContext['ask']): Promise<string> {
  const [own] = Object.keys(config?.agents ?? {});
  const preset = own ?? DEFAULT_AGENT;
  const names = [...new Set([preset, ...Object.keys(config?.agents ?? {}), ...agentNames()])];
  if (!ask) return preset;
  const answer = await ask(`Which agent? ${names.join(', ')} [${preset}] `);
  if (answer === undefined) throw userError('agent_not_chosen');
  return answer.trim() || preset;
}

/** S-17: without its address, a job would obey whichever App its dispatch names. */
async function askForDesk(ask: InitContext['ask']): Promise<string> {
  const answer = (await ask?.('The address of your App, which the jobs then obey alone? '))?.trim();
  if (answer) return answer;
  throw usage('autobuild init --app needs the address of your App: add --desk https://…');
}

async function describeFiles(
  files: readonly PlannedFile[],
  { force, dryRun, pullRequest }: InitOptions,
  env: Record<string, string>,
): Promise<string[]> {
  const lines: string[] = [];
  for (const file of files) {
    const { path, text } = file;
    const would = dryRun ? 'would be ' : '';
    const fate = fateOf(file, force);
    if (fate === 'unchanged') lines.push(`✓ ${path} is there already.`);
    else if (fate === 'kept')
      lines.push(`✗ ${path} is there and differs; it was left as it is. To replace it: add --force`);
    else lines.push(`✓ ${path} ${would}${fate}${pullRequest ? ' on a branch' : ''}.`);
    if (fate === 'kept' || fate === 'replaced') lines.push(...(await describeDifference(file, env)));
    if (dryRun && fate === 'written') lines.push(...quoteFile(path, text));
  }
  return lines;
}

/** The schema is the same in every repository, and long. */
function quoteFile(path: string, text: string): string[] {
  const lines = text.trimEnd().split('\n');
  if (path === SCHEMA_PATH) return [`  | (the JSON Schema of the settings, ${lines.length} lines)`];
  return lines.map((line) => `  | ${line}`.trimEnd());
}

async function propose(
  top: string,
  {
    remote,
    base,
    files,
    blueprint,
  }: { remote: Remote; base: Base; files: PlannedFile[]; blueprint: Blueprint },
  { force }: InitOptions,
  env: Record<string, string>,
): Promise<string[]> {
  if (files.length === 0) return [`✓ ${base.branch} of ${remote.repository} has all of it already.`];
  await pushBranch(top, { remote, base, files, force }, env);
  const { agent, setUp } = blueprint;
  const body = [
    `Prepares the repository for Autobuild: issues with the label \`autobuild\` are built by ${agent.name}.`,
    '',
    `Set-up: ${setUp.languages.join('; ') || 'to be filled in'}. Checks: ${setUp.checks.map((check) => `\`${check}\``).join(', ') || 'to be filled in'}.`,
    ...(agent.key ? ['', `Before the first run it needs the Actions secret \`${agent.key}\`.`] : []),
  ].join('\n');
  return [await openPullRequest({ remote, base, body }, { cwd: top, env })];
}
