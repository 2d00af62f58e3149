import { join, relative } from 'node:path';
import { agentNames } from '../../agents/registry.ts';
import { CONFIG_PATH, WORKFLOW_PATH } from '../../core/config-path.ts';
import { detectChecks } from '../../runner/checks/detect-checks.ts';
import { locate } from '../choose-worktree.ts';
import { isWithoutServer } from '../init/without-server.ts';
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
  const isOnGitHub = 'text' in workflow;
  return [
    `✓ ${file} is valid.`,
    `  agent: ${config.agent ?? 'none set'}`,
    `  verify: ${config.verify?.join(', ') ?? describeDetected(top)}`,
    `  scope: ${config.scope?.join(', ') ?? 'none set: any file may be changed unless the task sets one'}`,
    'guards:',
    ...guards,
    ...(isOnGitHub && !config.verify ? remarkOnChecks(file, workflow.text) : []),
    ...(isOnGitHub ? remarks(workflow.text) : []),
  ];
}

function describeDetected(top: string): string {
  const found = detectChecks(repositoryFiles(top));
  return found.length > 0 ? `${found.join(', ')}, as detected` : 'none set, and none detected';
}

/** A desk has no files to detect checks from. */
function remarkOnChecks(file: string, text: string): string[] {
  const read = readWorkflowFile(text);
  if (read.ok && read.workflow.call?.hasChecks) return [];
  const remark = `Nothing starts on GitHub until \`verify\` names the checks in ${file}`;
  return [`! ${remark}, for example: verify: ["npm test"]`];
}

/** Settings that the desk of this repository does not have. */
function remarks(workflow: string): string[] {
  if (!isWithoutServer(workflow)) return [];
  return [
    `! ${WORKFLOW_PATH} needs no server, so these settings have no effect:`,
    '  limits.parallel, limits.monthly_dollars: each run knows only its own issue',
    '  limits.hold_minutes: a question ends the job at once',
    '  ci: GitHub asks before it runs CI on these pull requests',
    '  notify.webhook: there is no address to call',
  ];
}

function show(limit: unknown): string {
  return typeof limit === 'object' ? JSON.stringify(limit) : String(limit);
}
