import { parseArgs } from 'node:util';
import { userError } from '../core/error-catalogue.ts';

const OPTIONS = {
  agent: { type: 'string' },
  config: { type: 'string' },
  verify: { type: 'string', multiple: true },
  'max-turns': { type: 'string' },
  answer: { type: 'string', multiple: true },
  directory: { type: 'string' },
  repo: { type: 'string' },
  action: { type: 'string' },
  json: { type: 'boolean' },
  all: { type: 'boolean' },
  force: { type: 'boolean' },
  'no-color': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
} as const;

/** The options of each command. Any other option is reported as a mistake. */
const ALLOWED: Record<string, (keyof typeof OPTIONS)[]> = {
  run: ['agent', 'config', 'verify', 'max-turns', 'answer', 'directory', 'json', 'no-color'],
  resume: ['answer', 'directory', 'json', 'no-color'],
  status: ['directory', 'json', 'all', 'no-color'],
  replay: [],
  'check-config': [],
  init: ['directory', 'force', 'action'],
  gate: [],
  hook: [],
  doctor: ['agent', 'directory', 'repo', 'json'],
};

export interface CliOptions {
  command: string;
  operands: string[];
  /** The agent's own command line, given after `--`. */
  agentCommand: string[];
  agent?: string;
  config?: string;
  verify: string[];
  maxTurns?: number;
  answers: string[];
  directory: string;
  /** `OWNER/NAME` on GitHub. */
  repo?: string;
  /** `OWNER/REPO@REF` of the action. */
  action?: string;
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
      if (name !== 'help' && name !== 'version' && !allowed.includes(name as keyof typeof OPTIONS)) {
        throw usage(`autobuild ${command} takes no --${name}.`);
      }
    }
  }
  return {
    command,
    operands,
    agentCommand: end === -1 ? [] : argv.slice(end + 1),
    agent: values.agent,
    config: values.config,
    verify: values.verify ?? [],
    maxTurns: wholeNumber('--max-turns', values['max-turns']),
    answers: values.answer ?? [],
    directory: values.directory ?? cwd,
    repo: values.repo,
    action: values.action,
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
    throw usage((error as Error).message.split('. ')[0] ?? 'Unknown option');
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
