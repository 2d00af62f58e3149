import { randomUUID } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { type Contexts, fillIn } from '../actions/expressions.ts';
import type { WorkflowStep } from '../actions/workflow-file.ts';
import { checkOut } from '../check-out.ts';
import { isSetUpAction, setUpTool } from '../set-up-actions.ts';
import { runStepProcess } from '../step-process.ts';
import { copyFolder } from './artifacts.ts';
import { environmentOf, type Machine } from './machine.ts';

const ACTION_FILE = fileURLToPath(new URL('../../../action.yml', import.meta.url));
/** The action, whoever's copy it is. */
const OURS = /^[\w-]+\/autobuild$/;
/** Linux starts no process with a longer variable, whatever a workflow puts into it. */
const MAX_VARIABLE_BYTES = 128 * 1024;

export function isOurs(step: WorkflowStep): boolean {
  return OURS.test(actionOf(step));
}

function actionOf({ uses = '' }: WorkflowStep): string {
  return uses.split('@')[0] ?? '';
}

/** Does what one step says. False means that it failed or was cancelled. */
export async function performStep(
  machine: Machine,
  step: WorkflowStep,
  env: Record<string, string>,
  contexts: Contexts,
): Promise<boolean> {
  const { job, upstream, owner, name, workspace, log } = machine;
  if (step.run !== undefined) {
    const argv = writeScript(machine, fillIn(step.run, contexts), step.shell);
    return runProcess(machine, argv, env, fillIn(step['working-directory'] ?? '', contexts));
  }
  const uses = actionOf(step);
  if (isOurs(step)) return performAction(machine, step, machine.action.main, env, contexts);
  const given = inputsOf(step, contexts);
  if (isSetUpAction(uses)) {
    const { home, files } = machine;
    log.write(setUpTool(uses, given, { home, workspace, pathFile: files.path, path: machine.path }));
    return true;
  }
  switch (uses) {
    case 'actions/checkout':
      await checkOut(upstream, `/repos/${owner}/${name}`, given.ref || job.sha, workspace);
      return true;
    case 'actions/upload-artifact':
      return upload(machine, given);
    case 'actions/download-artifact':
      return download(machine, given);
    default:
      throw new Error(`The sandbox's runner has no ${uses}; set-up steps are written with \`run:\` here.`);
  }
}

const SHELLS: Readonly<Record<string, string>> = {
  bash: 'bash --noprofile --norc -eo pipefail {0}',
  sh: 'sh -e {0}',
};

/** The command of a script, which is a file. `shell` may be any command with `{0}` for that file. */
function writeScript({ home }: Machine, script: string, shell = 'bash -e {0}'): string[] {
  const file = join(home, 'temp', `${randomUUID()}.sh`);
  writeFileSync(file, script);
  return (SHELLS[shell] ?? shell).split(' ').map((word) => word.replace('{0}', file));
}

/** Runs a file of the action: its main one, or the one before or after all steps. */
export function performAction(
  machine: Machine,
  step: WorkflowStep,
  file: string,
  env: Record<string, string>,
  contexts: Contexts,
): Promise<boolean> {
  const inputs = { ...defaultsOf(contexts), ...inputsOf(step, contexts) };
  const named = Object.entries(inputs).map(([key, value]) => [
    `INPUT_${key.toUpperCase().replaceAll(' ', '_')}`,
    value,
  ]);
  const all = { ...env, ...Object.fromEntries(named) };
  const isMain = file === machine.action.main;
  const part = partOf(machine, inputs.part ?? '', all);
  if (!part) return runProcess(machine, [process.execPath, file], all);
  return isMain ? endedOrKilled(machine, part()) : Promise.resolve(true);
}

/** The part in this process, if it is one that runs here. */
function partOf(
  machine: Machine,
  part: string,
  env: Record<string, string>,
): (() => Promise<boolean>) | undefined {
  const { inProcess, workspace, log } = machine;
  if (!part || !inProcess) return undefined;
  const whole = { ...environmentOf(machine), ...env };
  return () => {
    if (isTooLong(machine, whole)) return Promise.resolve(false);
    const step = { env: whole, cwd: workspace, print: log.write, cancelled: cancelOf(machine) };
    return inProcess(part, step) ?? runProcess(machine, [process.execPath, machine.action.main], env);
  };
}

/** A machine without power does not wait for what it ran. */
async function endedOrKilled({ killed }: Machine, ended: Promise<boolean>): Promise<boolean> {
  const { promise, resolve: give } = Promise.withResolvers<boolean>();
  if (killed.aborted) give(false);
  killed.addEventListener('abort', () => give(false), { once: true });
  // Nobody reads its error then.
  ended.catch(() => undefined);
  return Promise.race([ended, promise]);
}

function inputsOf(step: WorkflowStep, contexts: Contexts): Record<string, string> {
  return Object.fromEntries(Object.entries(step.with).map(([key, value]) => [key, fillIn(value, contexts)]));
}

function defaultsOf(contexts: Contexts): Record<string, string> {
  const { inputs } = parse(readFileSync(ACTION_FILE, 'utf8')) as {
    inputs: Record<string, { default?: unknown }>;
  };
  return Object.fromEntries(
    Object.entries(inputs).flatMap(([name, { default: usual }]) =>
      usual === undefined ? [] : [[name, fillIn(String(usual), contexts)]],
    ),
  );
}

function isTooLong({ log }: Machine, env: Record<string, string>): boolean {
  const found = Object.entries(env).find(
    ([name, value]) => Buffer.byteLength(`${name}=${value}`) >= MAX_VARIABLE_BYTES,
  );
  if (found) log.write(`##[error]Argument list too long: ${found[0]} has ${found[1].length} characters.\n`);
  return found !== undefined;
}

async function runProcess(
  machine: Machine,
  argv: string[],
  env: Record<string, string>,
  directory = '.',
): Promise<boolean> {
  const { workspace, killed, log } = machine;
  const whole = { ...environmentOf(machine), ...env };
  if (isTooLong(machine, whole)) return false;
  return runStepProcess(argv, {
    cwd: resolve(workspace, directory),
    cancelled: cancelOf(machine),
    killed,
    env: whole,
    onOutput: log.write,
  });
}

/** A step that starts after the cancel is not ended by it: it runs by `always()`, or is the `post` of another. */
function cancelOf({ cancelled }: Machine): AbortSignal {
  return cancelled.aborted ? new AbortController().signal : cancelled;
}

function upload(machine: Machine, given: Record<string, string>): boolean {
  const { workspace, home, store, job, log, artifacts } = machine;
  const kept = store.keep(job, {
    name: given.name || 'artifact',
    path: given.path ?? '',
    from: workspace,
    withHidden: given['include-hidden-files'] === 'true',
    overwrite: given.overwrite === 'true',
  });
  for (const file of kept) {
    const inside = relative(workspace, file);
    const name = inside.startsWith('..') ? relative(home, file) : inside;
    mkdirSync(dirname(join(home, 'artifacts', name)), { recursive: true });
    copyFileSync(file, join(home, 'artifacts', name));
    artifacts.push(name);
  }
  if (kept.length > 0) return true;
  log.write(`No files were found with the provided path: ${given.path}.\n`);
  return given['if-no-files-found'] !== 'error';
}

function download({ workspace, store, job, log }: Machine, given: Record<string, string>): boolean {
  const folder = store.find(job, given.name ?? '');
  if (folder) copyFolder(folder, resolve(workspace, given.path ?? ''));
  else log.write(`##[error]Unable to download artifact(s): Artifact not found for name: ${given.name}\n`);
  return folder !== undefined;
}
