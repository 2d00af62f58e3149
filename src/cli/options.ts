import { parseArgs } from 'node:util';
import { userError } from '../core/error-catalogue.ts';
import { nearestName } from '../core/nearest-name.ts';
import { ALLOWED, OPTIONS, type OptionName, WITHOUT_OPERANDS } from './allowed-options.ts';

export interface CliOptions {
  /** The words of the command line. */
  argv: readonly string[];
  /** The directory of the shell. */
  cwd: string;
  command: string;
  operands: string[];
  /** The agent's own command line, given after `--`. */
  agentCommand: string[];
  agent?: string;
  config?: string;
  verify: string[];
  /** The text of the task. */
  task?: string;
  maxTurns?: number;
  answers: string[];
  directory: string;
  /** False for the current directory. */
  directoryGiven: boolean;
  /** Work in a worktree and branch of its own. */
  worktree: boolean;
  /** Work beside uncommitted changes. */
  dirty: boolean;
  /** `OWNER/NAME` on GitHub. */
  repo?: string;
  /** `OWNER/REPO@REF` of the action. */
  action?: string;
  /** For jobs that the hosted App starts. */
  app: boolean;
  /** With the file that reminds of open questions. */
  reminders: boolean;
  /** The address of the App. */
  desk?: string;
  /** A GitHub Enterprise Server. */
  host?: string;
  org?: string;
  /** The name of the App. */
  name?: string;
  /** Open the address instead of only printing it. */
  browser: boolean;
  /** The variable that holds the agent's key. */
  key?: string;
  pullRequest: boolean;
  dryRun: boolean;
  json: boolean;
  all: boolean;
  force: boolean;
  colour: boolean;
  help: boolean;
  version: boolean;
}

export function readOptions(argv: string[], cwd: string): CliOptions {
  const end = argv.indexOf('--');
  const own = end === -1 ? argv : argv.slice(0, end);
  const parsed = parse(own);
  const { values } = parsed;
  const [command = '', ...operands] = parsed.positionals;
  const allowed = ALLOWED[command];
  if (allowed) {
    for (const name of Object.keys(values)) {
      if (name !== 'help' && name !== 'version' && !allowed.includes(name as OptionName)) {
        throw usage(`autobuild ${command} takes no --${name}.`);
      }
    }
    const [extra] = operands;
    if (extra !== undefined && WITHOUT_OPERANDS.includes(command))
      throw usage(`autobuild ${command} takes only options, not also ${extra}.`);
  }
  // A shell runs a blank command successfully, so it would verify anything.
  if (values.verify?.some((check) => check.trim() === ''))
    throw usage("--verify needs a command, such as --verify 'npm test'.");
  return {
    argv,
    cwd,
    command,
    operands,
    agentCommand: end === -1 ? [] : argv.slice(end + 1),
    agent: values.agent,
    config: values.config,
    verify: values.verify ?? [],
    task: values.task,
    maxTurns: wholeNumber('--max-turns', values['max-turns']),
    answers: values.answer ?? [],
    directory: values.directory ?? cwd,
    directoryGiven: values.directory !== undefined,
    worktree: values.worktree ?? false,
    dirty: values.dirty ?? false,
    dryRun: values['dry-run'] ?? false,
    repo: values.repo,
    action: values.action,
    app: values.app ?? false,
    reminders: values.reminders ?? false,
    desk: values.desk,
    host: values.host,
    org: values.org,
    name: values.name,
    browser: !values['no-browser'],
    key: values.key,
    pullRequest: values['pull-request'] ?? false,
    json: values.json ?? false,
    all: values.all ?? false,
    force: values.force ?? false,
    colour: !values['no-color'],
    help: values.help ?? false,
    version: values.version ?? false,
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS, allowPositionals: true, strict: true });
  } catch (error) {
    const problem = (error as Error).message.split('. ')[0] ?? 'Unknown option';
    const word = /'--([\w-]+)/.exec(problem)?.[1];
    const near = word && nearestName(word, Object.keys(OPTIONS));
    throw usage(near && near !== word ? `${problem}. Did you mean --${near}?` : problem);
  }
}

export function usage(problem: string) {
  return userError('usage', { problem, usage: 'autobuild --help' });
}

function wholeNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= 1000) return number;
  throw usage(`${name} ${text}: give a whole number from 1 to 1000.`);
}
