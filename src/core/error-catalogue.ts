import { CONFIG_PATH } from './config-path.ts';

/** Every failure that is shown to a user. All are defined here, so that none lacks a remedy. */
export const CATALOGUE = {
  usage: (p: { problem: string; usage: string }) => ({
    message: p.problem,
    remedy: `Usage: ${p.usage}`,
  }),
  task_file_missing: (p: { file: string; reason: string }) => ({
    message: `The task file ${p.file} cannot be read: ${p.reason}.`,
    remedy: 'Give the path of a Markdown file that says what to build.',
  }),
  task_file_unusable: (p: { file: string; problem: string }) => ({
    message: `The task file ${p.file} cannot be used: ${p.problem}`,
    remedy: 'Mend the file, then run the command again. Nothing was started.',
  }),
  config_invalid: (p: { file: string; problems: string[] }) => ({
    message: `${p.file} has ${p.problems.length === 1 ? '1 error' : `${p.problems.length} errors`}:\n${p.problems.map((problem) => `  ${problem}`).join('\n')}`,
    remedy: `Mend the file, then look again with: autobuild check-config ${p.file}`,
  }),
  config_missing: (p: { file: string }) => ({
    message: `There is no config file ${p.file}.`,
    remedy: `Leave --config out to use ${CONFIG_PATH} or the defaults.`,
  }),
  agent_missing: () => ({
    message: 'No agent was named.',
    remedy: `Add \`-- COMMAND …\` at the end, \`--agent NAME\`, or \`agent:\` to ${CONFIG_PATH}.`,
  }),
  agent_unknown: (p: { name: string; known: string[] }) => ({
    message: `There is no agent ${p.name}.`,
    remedy: p.known.length
      ? `Known here: ${p.known.join(', ')}. Add others under \`agents:\` in ${CONFIG_PATH}.`
      : `Add it under \`agents:\` in ${CONFIG_PATH}, or give a command after \`--\`.`,
  }),
  agent_key_missing: (p: { name: string; keys: readonly string[] }) => ({
    message: `${p.name} has no key for its model.`,
    remedy: `Set ${p.keys.join(' or ')}. Nothing was started.`,
  }),
  agent_not_startable: (p: { problem: string }) => ({
    message: p.problem,
    remedy: 'Nothing was started. Try the same command by hand, then run again.',
  }),
  checks_missing: (p: { config: string }) => ({
    message: 'No check command is known, so nothing could say that the task is complete.',
    remedy: `Add for example \`verify: ["npm test"]\` to ${p.config}, or give --verify 'npm test'.`,
  }),
  worktree_missing: (p: { directory: string }) => ({
    message: `${p.directory} is not a directory.`,
    remedy: 'Run the command in the repository, or name it with --directory.',
  }),
  state_dir_unusable: (p: { directory: string; problem: string }) => ({
    message: `The state directory ${p.directory} cannot be used: ${p.problem}`,
    remedy: `Move what stands there, or name another directory with \`state_dir:\` in ${CONFIG_PATH}.`,
  }),
  worktree_held: (p: { pid: number; run: string; since: string; directory: string }) => ({
    message: `${p.directory} is held by run ${p.run} (process ${p.pid}, since ${p.since}).`,
    remedy: `Wait for it, or end it: Ctrl-C in its terminal, or kill ${p.pid}.`,
  }),
  run_missing: (p: { run: string; home: string }) => ({
    message: p.run
      ? `There is no run ${p.run} in ${p.home}.`
      : `No run was ever started in this directory (looked in ${p.home}).`,
    remedy: 'Start one with: autobuild run TASK.md -- COMMAND',
  }),
  run_over: (p: { run: string; status: string }) => ({
    message: `Run ${p.run} has ended (${p.status}); there is nothing to resume.`,
    remedy: 'Start a new one with: autobuild run TASK.md -- COMMAND',
  }),
  journal_damaged: (p: { problem: string }) => ({
    message: p.problem,
    remedy: 'Nothing was changed. The work itself is in the worktree.',
  }),
  settings_unusable: (p: { problems: string[] }) => ({
    message: `The server cannot start, because of the environment:\n${p.problems.map((problem) => `  ${problem}`).join('\n')}`,
    remedy:
      'Set these variables (.env.example explains each of them), then start again. Nothing was started.',
  }),
  postgres_unreachable: (p: { address: string; problem: string }) => ({
    message: `PostgreSQL at ${p.address} cannot be reached: ${p.problem}.`,
    remedy:
      'Start it, or mend DATABASE_URL (host, port, user, password, name of the database), then start again. Nothing was started.',
  }),
  database_file_unusable: (p: { file: string; problem: string }) => ({
    message: `The database file ${p.file} cannot be opened: ${p.problem}.`,
    remedy:
      'Set AUTOBUILD_DB to a file that this user may write, on a local disk, then start again. Nothing was started.',
  }),
  store_unusable: (p: { problem: string }) => ({
    message: p.problem,
    remedy: 'Nothing was started, and nothing in the database was changed.',
  }),
  git_missing: () => ({
    message: 'git was not found.',
    remedy: 'Install git 2.30 or newer and make sure it is in PATH.',
  }),
  disk_full: (p: { where: string }) => ({
    message: `There is no space left on the disk (${p.where}).`,
    remedy: 'Make room, then go on with: autobuild resume. Everything journalled so far is kept.',
  }),
} as const;

export type ErrorCode = keyof typeof CATALOGUE;
type Parameters_<Code extends ErrorCode> = Parameters<(typeof CATALOGUE)[Code]>;

/** A failure that the user can fix. It is shown without a stack trace, because it is no bug. */
export class UserError extends Error {
  override name = 'UserError';
  readonly code: ErrorCode;
  readonly remedy: string;

  constructor(code: ErrorCode, text: { message: string; remedy: string }, options?: ErrorOptions) {
    super(text.message, options);
    this.code = code;
    this.remedy = text.remedy;
  }
}

export function userError<Code extends ErrorCode>(code: Code, ...parameters: Parameters_<Code>): UserError {
  const describe = CATALOGUE[code] as (...values: Parameters_<Code>) => { message: string; remedy: string };
  return new UserError(code, describe(...parameters));
}
