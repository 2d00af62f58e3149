import { join, relative } from 'node:path';
import { agentNames } from '../../agents/registry.ts';
import { readYaml } from '../../config/read-yaml.ts';
import { CONFIG_PATH, WORKFLOW_PATH } from '../../core/config-path.ts';
import { detectChecks } from '../../runner/checks/detect-checks.ts';
import { locate } from '../choose-worktree.ts';
import { type CliOptions, usage } from '../options.ts';
import { readTextFile } from '../read-text-file.ts';
import { repositoryFiles } from '../repository-files.ts';
import { readWorkflowFile } from '../workflow-file.ts';
import { loadConfig } from './run-command.ts';

const MAX_WORKFLOW_BYTES = 256 * 1024;

/** `autobuild check-config` prints the settings in force, or every mistake with its line. */
export async function checkConfigCommand(
  options: CliOptions,
  env: Record<string, string>,
): Promise<string[]> {
  const [named, ...extra] = options.operands;
  if (extra.length > 0) throw usage('autobuild check-config takes one file.');
  const { top } = await locate(options.directory, env);
  const file = named ?? relative('', join(top, CONFIG_PATH));
  const config = loadConfig({ config: file }, options.directory, agentNames());
  const guards = Object.entries(config.guards).map(([id, limit]) => `  ${id}: ${show(limit)}`);
  const workflow = readTextFile(join(top, WORKFLOW_PATH), MAX_WORKFLOW_BYTES);
  const read = 'text' in workflow ? readWorkflowFile(workflow.text) : undefined;
  const call = read?.ok ? read.workflow.call : undefined;
  return [
    `✓ ${file} is valid.`,
    `  agent: ${config.agent ?? (call?.agent ? `${call.agent}, as ${WORKFLOW_PATH} names it` : 'none set')}`,
    `  verify: ${config.verify?.join(', ') ?? describeDetected(top)}`,
    `  scope: ${config.scope?.join(', ') ?? 'none set: any file may be changed unless the task sets one'}`,
    'guards:',
    ...guards,
    ...(read && !config.verify && !call?.hasChecks ? [remarkOnChecks(file)] : []),
    ...(call ? remarkOnServer(file) : []),
  ];
}

function describeDetected(top: string): string {
  const found = detectChecks(repositoryFiles(top));
  return found.length > 0 ? `${found.join(', ')}, as detected` : 'none set, and none detected';
}

/** A desk has no files to detect checks from. */
function remarkOnChecks(file: string): string {
  const remark = `Nothing starts on GitHub until \`verify\` names the checks in ${file}`;
  return `! ${remark}, for example: verify: ["npm test"]`;
}

/** Settings that only a server has a use for, and why. */
const NEED_SERVER: { keys: [string, string?][]; reason: string }[] = [
  {
    keys: [
      ['limits', 'parallel'],
      ['limits', 'monthly_dollars'],
    ],
    reason: 'each run knows only its own issue',
  },
  { keys: [['limits', 'hold_minutes']], reason: 'a question ends the job at once' },
  { keys: [['ci']], reason: 'GitHub asks before it runs CI on these pull requests' },
  { keys: [['notify', 'webhook']], reason: 'there is no address to call' },
];

/** Settings of the file that the desk of this repository does not have. */
function remarkOnServer(file: string): string[] {
  const content = readTextFile(file, MAX_WORKFLOW_BYTES);
  const read = 'text' in content ? readYaml(content.text, 1) : undefined;
  const settings = read?.ok ? (read.value as Settings) : undefined;
  const isSet = ([group, key]: [string, string?]) =>
    (key === undefined ? settings?.[group] : (settings?.[group] as Settings)?.[key]) !== undefined;
  const lines = NEED_SERVER.flatMap(({ keys, reason }) => {
    const set = keys.filter(isSet).map((path) => path.join('.'));
    return set.length > 0 ? [`  ${set.join(', ')}: ${reason}`] : [];
  });
  const late = (settings?.revisions as Settings)?.on_ci_failure === 'start' ? [STARTS_LATE] : [];
  return lines.length > 0
    ? [`! ${WORKFLOW_PATH} needs no server, so these settings have no effect:`, ...lines, ...late]
    : late;
}

const STARTS_LATE =
  '! revisions.on_ci_failure: without a server nothing starts when CI ends, so the round starts with the next comment, tick or review';

type Settings = Record<string, unknown> | null | undefined;

function show(limit: unknown): string {
  return typeof limit === 'object' ? JSON.stringify(limit) : String(limit);
}
