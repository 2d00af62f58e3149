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
    message: `The task (${p.file}) cannot be used: ${p.problem}`,
    remedy: 'Fix it, then run the command again. Nothing was started.',
  }),
  config_invalid: (p: { file: string; word?: string; problems: string[] }) => ({
    message: `${p.file} has ${p.problems.length === 1 ? '1 error' : `${p.problems.length} errors`}:\n${p.problems.map((problem) => `  ${problem}`).join('\n')}`,
    remedy: `Fix the file, then run: autobuild check-config ${p.word ?? p.file}`,
  }),
  config_missing: (p: { file: string }) => ({
    message: `There is no config file ${p.file}.`,
    remedy:
      'Check the path. Without a file the defaults hold; `autobuild init` writes one that explains them.',
  }),
  agent_missing: () => ({
    message: 'No agent is configured.',
    remedy: `Add \`-- COMMAND …\` at the end, \`--agent NAME\`, or \`agent:\` to ${CONFIG_PATH}.`,
  }),
  agent_unknown: (p: { name: string; known: string[] }) => ({
    message: `There is no agent ${p.name}.`,
    remedy: p.known.length
      ? `Available: ${p.known.join(', ')}. Add others under \`agents:\` in ${CONFIG_PATH}.`
      : `Add it under \`agents:\` in ${CONFIG_PATH}, or give a command after \`--\`.`,
  }),
  agent_key_missing: (p: { name: string; keys: readonly string[] }) => ({
    message: `${p.name} has no key for its model.`,
    remedy: `Set ${p.keys.join(' or ')}. Nothing was started.`,
  }),
  agent_not_startable: (p: { problem: string }) => ({
    message: p.problem,
    remedy: 'Nothing was started. Try the same command yourself, then run again.',
  }),
  box_refused: (p: { problem: string }) => ({
    message: p.problem,
    remedy: `Set \`isolation: best\` in ${CONFIG_PATH} to run without isolation, or set the machine up for it: docs/isolation.md.`,
  }),
  checks_missing: (p: { config: string }) => ({
    message: 'No checks are configured, so nothing could tell when the task is done.',
    remedy: `Add, for example, \`verify: ["npm test"]\` to ${p.config}, or give --verify 'npm test'.`,
  }),
  env_exists: (p: { file: string; names: string }) => ({
    message: `${p.file} has ${p.names} already, of an App that is registered.`,
    remedy:
      'Nothing was registered. To replace them, add --force; another directory is named with --directory.',
  }),
  env_unwritable: (p: { file: string }) => ({
    message: `${p.file} cannot be written.`,
    remedy: 'Run the command in a directory that you can write to, or name one with --directory.',
  }),
  register_stopped: (p: { late: boolean }) => ({
    message: p.late ? 'Nobody registered the App in time.' : 'Stopped before the App was registered.',
    remedy: 'Nothing was written. Run the command again to get a new page.',
  }),
  register_refused: (p: { host: string; reason: string }) => ({
    message:
      p.reason === 'spent'
        ? `${p.host} does not take the code of the registration: it was used before, or has expired.`
        : `The App was registered, but ${p.host} did not give its credentials: ${p.reason}`,
    remedy:
      'Nothing was written. Delete the App on GitHub if it is there (Settings, Developer settings, GitHub Apps), then run the command again.',
  }),
  worktree_missing: (p: { directory: string }) => ({
    message: `${p.directory} is not a directory.`,
    remedy: 'Run the command in the repository, or name it with --directory.',
  }),
  tree_dirty: (p: { count: number; files: string; hasCommit: boolean; again?: string }) => ({
    message: `${p.count === 1 ? '1 file has' : `${p.count} files have`} uncommitted changes: ${p.files}`,
    remedy: [
      ...waysToCommit(p),
      '(--dirty runs here anyway; undo then restores your files as they are now.) Nothing was started.',
    ].join('\n  '),
  }),
  git_status_failed: (p: { directory: string; problem: string }) => ({
    message: `Could not check ${p.directory} for uncommitted changes: ${p.problem}`,
    remedy: 'Try `git status` there, or use --dirty to skip this check. Nothing was started.',
  }),
  worktree_not_made: (p: { directory: string; problem: string }) => ({
    message: `git could not create a worktree of ${p.directory}: ${p.problem}`,
    remedy: 'A worktree needs a git repository with at least one commit. Nothing was started.',
  }),
  snapshot_missing: (p: { run: string }) => ({
    message: `Run ${p.run} has no snapshot of the files before it, so there is nothing to compare with.`,
    remedy: 'It ended before its first turn, or was started by an earlier version. `git diff` may help.',
  }),
  edited_since: (p: { run: string; count: number; files: string }) => ({
    message: `${p.count === 1 ? '1 file was' : `${p.count} files were`} changed after the run: ${p.files}`,
    remedy: `Nothing was undone. To undo these too (a copy of each is kept): autobuild undo ${p.run} --force`,
  }),
  state_dir_unusable: (p: { directory: string; problem: string }) => ({
    message: `The state directory ${p.directory} cannot be used: ${p.problem}`,
    remedy: `Move what is there, or set another directory with \`state_dir:\` in ${CONFIG_PATH}.`,
  }),
  worktree_held: (p: { pid: number; run: string; since: string; directory: string }) => ({
    message: `${p.directory} is in use by run ${p.run} (process ${p.pid}, since ${p.since}).`,
    remedy: `Wait for it, or end it: Ctrl-C in its terminal, or kill ${p.pid}.`,
  }),
  run_missing: (p: { run: string; home: string }) => ({
    message: p.run
      ? `There is no run ${p.run} in ${p.home}.`
      : `No run was started in this directory yet (looked in ${p.home}).`,
    remedy: p.run
      ? 'To see which there are: autobuild runs'
      : 'Start one with: autobuild run TASK.md -- COMMAND',
  }),
  run_over: (p: { run: string; status: string }) => ({
    message: `Run ${p.run} has ended; there is nothing to resume. ${p.status}.`,
    remedy: 'Start a new one with: autobuild run TASK.md -- COMMAND',
  }),
  run_done: (p: { run: string; status: string }) => ({
    message: `Run ${p.run} waits for nothing. ${p.status}.`,
    remedy: `For another round: autobuild resume ${p.run} --answer '/guide <what to change>'`,
  }),
  round_not_begun: (p: { run: string }) => ({
    message: `No round was begun, and run ${p.run} is as it was.`,
    remedy: `A round begins with what is to be changed: autobuild resume ${p.run} --answer '/guide <what to change>'`,
  }),
  journal_missing: (p: { name: string; home: string }) => ({
    message: `There is no run ${p.name} in ${p.home}, and no journal file of that name.`,
    remedy: 'To see which runs there are: autobuild runs',
  }),
  journal_damaged: (p: { problem: string }) => ({
    message: p.problem,
    remedy: 'Nothing was changed. The work itself is in the worktree.',
  }),
  settings_unusable: (p: { problems: string[] }) => ({
    message: `The server cannot start; the environment is incomplete:\n${p.problems.map((problem) => `  ${problem}`).join('\n')}`,
    remedy:
      '`autobuild register` writes them to .env here; .env.example, in the repository, explains each. Nothing was started.',
  }),
  postgres_unreachable: (p: { address: string; problem: string }) => ({
    message: `PostgreSQL at ${p.address} cannot be reached: ${p.problem}.`,
    remedy:
      'Start it, or fix DATABASE_URL (host, port, user, password, database name), then start again. Nothing was started.',
  }),
  database_file_unusable: (p: { file: string; problem: string }) => ({
    message: `The database file ${p.file} cannot be opened: ${p.problem}.`,
    remedy:
      'Set AUTOBUILD_DB to a file this user can write, on a local disk, then start again. Nothing was started.',
  }),
  store_unusable: (p: { problem: string }) => ({
    message: p.problem,
    remedy: 'Nothing was started, and nothing in the database was changed.',
  }),
  repository_missing: (p: { directory: string }) => ({
    message: `${p.directory} is not part of a git repository.`,
    remedy: 'Run the command in one, name it with --directory, or make one: git init. Nothing was written.',
  }),
  agent_not_chosen: () => ({
    message: 'No agent was chosen.',
    remedy: 'Name one with --agent, or run the command again. Nothing was written.',
  }),
  action_unknown: (p: { command: string }) => ({
    message: 'Which copy of the action should the workflow use? This Autobuild was not built by a release.',
    remedy: [
      `Name one that you trust, because it gets your secrets: ${p.command} --action OWNER/REPO@COMMIT`,
      '(In a copy of Autobuild, `node scripts/release.mjs --yes` makes that commit, and a program that knows it: docs/no-server.md.) Nothing was written.',
    ].join('\n  '),
  }),
  file_not_written: (p: { path: string; directory: string; problem: string }) => ({
    message: `${p.path} cannot be written: ${p.problem}`,
    remedy: `See that you may write to ${p.directory}, then run the command again: it continues where it stopped.`,
  }),
  remote_missing: (p: { directory: string }) => ({
    message: `${p.directory} has no remote that leads to a repository on GitHub, so no pull request can be opened.`,
    remedy:
      'Add one (git remote add origin https://github.com/OWNER/NAME.git), or leave --pull-request out. Nothing was written.',
  }),
  branch_not_pushed: (p: { branch: string; repository: string; problem: string }) => ({
    message: `The branch ${p.branch} cannot be pushed to ${p.repository}: ${p.problem}`,
    remedy:
      'See that `git push` works there, or leave --pull-request out. Nothing in your files was changed.',
  }),
  git_missing: () => ({
    message: 'git was not found.',
    remedy: 'Install git 2.30 or newer and make sure it is in PATH.',
  }),
  home_unusable: (p: { directory: string; problem: string }) => ({
    message: `The runs cannot be kept in ${p.directory}: ${p.problem}.`,
    remedy:
      'Name a directory that you can write with AUTOBUILD_HOME, outside the repository. Nothing was started.',
  }),
  disk_full: (p: { where: string }) => ({
    message: `There is no space left on the disk (${p.where}).`,
    remedy: 'Free some space, then run: autobuild resume. Everything recorded so far is kept.',
  }),
  state_key_wrong: (p: { ref: string; entry: string; repository: string; derived: boolean }) => ({
    message: `The ${p.entry} of this issue (${p.ref}) was sealed with another key than the one that is given.`,
    remedy: p.derived
      ? `There is no AUTOBUILD_KEY, so the key comes from the model's key: put the old one back. ${startOver(p)}`
      : `Put the old AUTOBUILD_KEY back, or behind the new one with a comma between. If there was none before, set the model key of that time again. The state of another repository cannot be opened here. ${startOver(p)}`,
  }),
  state_damaged: (p: { ref: string; entry: string; repository: string }) => ({
    message: `The ${p.entry} of this issue (${p.ref}) is damaged: it was cut off or changed since it was sealed, so it is not used.`,
    remedy: `Point the ref to the commit before, if you know it. ${startOver(p)}`,
  }),
  state_foreign: (p: { ref: string; oid: string; repository: string }) => ({
    message: `${p.ref} points to ${p.oid}, which is no state that Autobuild wrote.`,
    remedy: `Point the ref to the commit before, and find out who moved it. ${startOver(p)}`,
  }),
  state_too_new: (p: { ref: string; problem: string }) => ({
    message: `The state of this issue (${p.ref}) cannot be used: ${p.problem}`,
    remedy: 'Let the workflow use the version of Autobuild that the state was written with, or a newer one.',
  }),
  state_too_large: (p: { ref: string; entry: string; megabytes: number }) => ({
    message: `The ${p.entry} of this issue has ${p.megabytes} MB sealed, which is more than ${p.ref} can hold (30 MB). It was not saved.`,
    remedy:
      'Keep large files that the agent makes out of the work (.gitignore), then /cancel and label the issue again.',
  }),
  state_busy: (p: { ref: string; holder: string; until?: string }) => ({
    message: `This issue's state (${p.ref}) has been in use by ${p.holder} for longer than this job waits${p.until ? `; the lease ends at ${p.until}` : ''}.`,
    remedy:
      'Nothing is lost: every job reads all comments since the last one. If that run hangs, cancel it, then run this job again.',
  }),
  state_key_weak: (p: { least: number }) => ({
    message: `AUTOBUILD_KEY has fewer than ${p.least} characters. Everyone who can read the repository can read the sealed state and try keys on it.`,
    remedy: 'Set another one: openssl rand -base64 32 | gh secret set AUTOBUILD_KEY',
  }),
  model_key_missing: () => ({
    message: 'There is no model key, so nothing can be sealed for the build.',
    remedy: 'Set the secret that the workflow passes as `model_key`.',
  }),
} as const;

function waysToCommit({ again, hasCommit }: { again?: string; hasCommit: boolean }): string[] {
  if (!hasCommit) return ['Commit them first.'];
  return again
    ? ['Commit or stash them, or work in a separate worktree and branch:', `  ${again}`]
    : ['Commit or stash them, or add --worktree to work in a separate worktree and branch.'];
}

function startOver({ ref, repository }: { ref: string; repository: string }): string {
  return `To start over without it: gh api -X DELETE repos/${repository}/git/${ref}, then label the issue again.`;
}

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
