import { nearestName } from '../core/nearest-name.ts';
import { ALLOWED, type OptionName } from './allowed-options.ts';

/** The options in the words of `--help`: their form, and what they do unless the command says otherwise. */
const OPTION_WORDS: Partial<Record<OptionName, readonly [string, string]>> = {
  agent: ['--agent NAME', 'a built-in agent, or one named in the config'],
  config: ['--config FILE', 'instead of .github/autobuild.yml'],
  verify: ['--verify COMMAND', 'a check that must pass; can be repeated'],
  'max-turns': ['--max-turns N', "instead of the config's"],
  task: ['--task TEXT', 'the task itself, instead of a file'],
  answer: ['--answer TEXT', 'an answer for the next question; can be repeated. Without one the run pauses'],
  directory: ['--directory DIR', 'instead of this directory'],
  worktree: ['--worktree', 'work in a separate worktree and branch, from the last commit'],
  dirty: ['--dirty', 'run despite uncommitted changes'],
  repo: ['--repo OWNER/NAME', 'a repository on GitHub instead of this machine'],
  action: ['--action OWNER/REPO@COMMIT', 'the action that the workflow uses'],
  app: ['--app', 'for jobs that a hosted App starts; asks for its address, unless --desk names it'],
  reminders: ['--reminders', 'also write the file that reminds of open questions once a day'],
  desk: ['--desk URL', 'the address of your App'],
  org: ['--org NAME', 'the App belongs to this organisation; default: to you'],
  host: ['--host HOST', 'a GitHub Enterprise Server; default: github.com'],
  name: ['--name NAME', 'of the App; default: Autobuild. Names are unique on GitHub'],
  'no-browser': ['--no-browser', 'only print the address of the page'],
  key: ['--key NAME', "the variable and secret of the agent's key, where it takes several"],
  'pull-request': ['--pull-request', 'push a branch and open a pull request; your files stay as they are'],
  'dry-run': ['--dry-run', 'print the files, write nothing'],
  json: ['--json', 'for scripts: one JSON object per line'],
  all: ['--all', 'all runs of this machine'],
  force: ['--force', 'replace what is there'],
  'no-color': ['--no-color', 'no colours (also NO_COLOR, a pipe, TERM=dumb)'],
};

interface CommandHelp {
  /** Options that mean something else, or more, here. */
  options?: Partial<Record<OptionName, string>>;
  forms: string[];
  summary: string;
  examples: string[];
}

const HELP: Readonly<Record<string, CommandHelp>> = {
  run: {
    forms: ['run TASK.md|-|ISSUE_URL [options] [-- COMMAND …]', 'run --task TEXT [options] [-- COMMAND …]'],
    summary:
      'Runs an agent on a task until its checks pass. The task is a Markdown file, standard input (-), an issue on GitHub, or --task.',
    options: {
      agent: 'a built-in agent, or one named in the config; or give its command after --',
      directory: 'the part of the repository that the task is about; all of it is watched',
      'dry-run': 'say what would run, with which limits, and start nothing',
      json: 'the journal on stdout, one event per line; everything else on stderr',
    },
    examples: [
      'autobuild run TASK.md --agent claude',
      "autobuild run --task 'Make npm test pass' --agent codex --worktree",
      'autobuild run https://github.com/octo/shop/issues/12 --agent claude',
      "autobuild run - --verify 'make test' -- ./my-agent.sh < task.md",
    ],
  },
  resume: {
    forms: ['resume [RUN] [options]'],
    summary: 'Continues a run that is paused or whose process was killed.',
    options: { json: 'the journal on stdout, one event per line; everything else on stderr' },
    examples: [
      'autobuild resume',
      "autobuild resume k7m2q9ab --answer '/continue +5'",
      "autobuild resume k7m2q9ab --answer '/guide the amounts are in cents'   # another round of a run that is done",
    ],
  },
  status: {
    forms: ['status [RUN] [--all] [--json]'],
    summary: 'Shows where a run stands. Changes nothing.',
    examples: ['autobuild status', 'autobuild status k7m2q9ab --json'],
  },
  runs: {
    forms: ['runs [--json]'],
    summary: 'Lists the runs of this machine.',
    examples: ['autobuild runs'],
  },
  diff: {
    forms: ['diff [RUN]'],
    summary: 'Prints what the run changed, as a patch.',
    examples: ['autobuild diff', 'autobuild diff k7m2q9ab > work.patch'],
  },
  undo: {
    forms: ['undo [RUN] [--force]'],
    summary:
      'Restores the files as they were before the run, and cancels the run if it still waits. A copy of what is undone is kept; files edited since are left alone without --force. With nothing to undo it changes nothing.',
    options: { force: 'undo files that were edited since, too' },
    examples: ['autobuild undo', 'autobuild undo k7m2q9ab --force'],
  },
  replay: {
    forms: ['replay RUN|JOURNAL'],
    summary: "Replays a journal and shows where today's rules would decide differently.",
    examples: ['autobuild replay k7m2q9ab'],
  },
  'check-config': {
    forms: ['check-config [FILE]'],
    summary: 'Prints the settings in effect, or every error with its line.',
    examples: ['autobuild check-config'],
  },
  doctor: {
    forms: ['doctor [--agent NAME]', 'doctor --repo OWNER/NAME [--json]'],
    summary: 'Says what this machine, or a repository on GitHub, has and lacks.',
    examples: ['autobuild doctor', 'autobuild doctor --agent claude', 'autobuild doctor --repo octo/shop'],
  },
  init: {
    forms: ['init [options]'],
    summary:
      "Writes the workflow for the repository's languages, checks and agent, the settings and their JSON Schema below .github, and says what is left to do.",
    options: { force: 'replace files that are there and differ' },
    examples: [
      'autobuild init',
      'autobuild init --app --desk https://autobuild.example.com',
      'autobuild init --agent codex --key OPENAI_API_KEY --pull-request',
      'autobuild init --dry-run',
    ],
  },
  register: {
    forms: ['register --desk URL [--org NAME] [--host HOST] [--name NAME]'],
    summary:
      'Registers the GitHub App from its manifest, and writes its credentials to .env. Other lines of the file are kept, and credentials in it are replaced only with --force.',
    options: { force: 'replace the credentials that are in .env' },
    examples: [
      'autobuild register --desk https://autobuild.example.com',
      'autobuild register --desk https://autobuild.example.com --org octo --no-browser',
    ],
  },
  serve: {
    forms: ['serve'],
    summary:
      'Serves the GitHub App that the environment, or the file .env in this directory, sets up. SIGTERM stops it.',
    examples: ['autobuild serve'],
  },
};

const FORM_WIDTH = 26;

/** The help of one command. Undefined for a command without a help of its own. */
export function helpFor(command: string): string | undefined {
  const help = Object.hasOwn(HELP, command) ? HELP[command] : undefined;
  if (!help) return undefined;
  const rows = (ALLOWED[command] ?? []).flatMap((name) => {
    const [form, words] = OPTION_WORDS[name] ?? [];
    return form && words ? [`  ${form.padEnd(FORM_WIDTH)}  ${help.options?.[name] ?? words}`] : [];
  });
  return [
    ...help.forms.map((form) => `autobuild ${form}`),
    '',
    help.summary,
    ...(rows.length > 0 ? ['', 'Options:', ...rows] : []),
    '',
    'Examples:',
    ...help.examples.map((example) => `  ${example}`),
  ].join('\n');
}

/** The command that a misspelled word probably means. */
export function nearestCommand(word: string): string | undefined {
  return nearestName(word, Object.keys(ALLOWED));
}
