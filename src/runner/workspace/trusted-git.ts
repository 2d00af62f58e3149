import { execFile } from 'node:child_process';
import { lstat, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Fixed, so that the worktree cannot name the directory in which git is found. */
const DEFAULT_PATH = '/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin';
const MIB = 1024 * 1024;
const TIMEOUT_MS = 120_000;
/** A terminal that is closed sends these to all of its processes, and a service manager to all processes of a unit. */
const SENT_TO_ALL: ReadonlySet<unknown> = new Set(['SIGINT', 'SIGTERM', 'SIGHUP']);
/** Enough for each of these signals to arrive once. */
const MOST_INTERRUPTIONS = 4;

/**
 * Attributes in `info/attributes` win over every `.gitattributes` of the tree: content goes in and out byte for byte, and no
 * file can be made "binary" to hide its lines. `!` (unspecified) where unset would itself have a meaning.
 */
const ATTRIBUTES =
  '* -text !eol -crlf -ident -filter !diff !merge !working-tree-encoding !whitespace !conflict-marker-size\n';

/** The only configuration file that is read: not the user's, the system's or the worktree's. */
const CONFIG = `[core]
\trepositoryformatversion = 0
\tbare = false
\tfilemode = true
\tsymlinks = true
\tignorecase = false
\tlogallrefupdates = false
[gc]
\tauto = 0
`;

/** Given on the command line, where nothing written into the directory later can undo them. */
const OVERRIDES = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.untrackedCache=false',
  'core.autocrlf=false',
  'core.attributesFile=/dev/null',
  'core.excludesFile=/dev/null',
  'core.sshCommand=false',
  'core.pager=cat',
  'core.editor=false',
  'core.quotePath=false',
  // Names that are dangerous on other systems must not vanish from a changeset. The desk decides about them.
  'core.protectNTFS=false',
  'core.protectHFS=false',
  // Larger files are streamed instead of held in memory, and compared as binary.
  'core.bigFileThreshold=8m',
  'core.looseCompression=1',
  // The directory exists as long as the job. A crash of the process loses nothing, and one of the machine loses the worktree too.
  'core.fsync=none',
  'credential.helper=',
  'diff.external=',
  'diff.ignoreSubmodules=all',
  'diff.noprefix=false',
  'diff.mnemonicPrefix=false',
  'gpg.program=false',
  'protocol.allow=never',
  'submodule.recurse=false',
].flatMap((setting) => ['-c', setting]);

type GitOptions = {
  /** More `name=value`, which win over `OVERRIDES`. */
  settings?: readonly string[];
  input?: string | Buffer;
  /** An exit code that is no failure, besides 0. */
  accept?: number;
  /** Instead of the directory's own index. */
  indexFile?: string;
  /** Instead of the worktree, such as a repository inside it. */
  worktree?: string;
  maxBytes?: number;
  /** Return the first `maxBytes` instead of failing. */
  cut?: boolean;
  timeoutMs?: number;
  /** How often this command was ended by a signal and started again. */
  interrupted?: number;
};

type GitOutput = { text: Buffer; cut: boolean };

export type TrustedGit = {
  readonly gitDir: string;
  readonly worktree: string;
  /** Whether git can write many files into one pack. An older git would make a pack for each. */
  readonly canPackMany: boolean;
  run(args: readonly string[], options?: GitOptions): Promise<GitOutput>;
};

/** Git failed, took too long, or printed too much. */
export class GitFailedError extends Error {
  override readonly name = 'GitFailedError';
}

/** Creates the directory if it is missing. `exclude` lines are gitignore patterns. */
export async function openTrustedGit(options: {
  worktree: string;
  gitDir: string;
  exclude: readonly string[];
  path?: string;
}): Promise<TrustedGit> {
  const { worktree, gitDir } = options;
  for (const dir of ['objects/info', 'objects/pack', 'refs', 'info']) {
    await mkdir(join(gitDir, dir), { recursive: true, mode: 0o700 });
  }
  await writeFile(join(gitDir, 'HEAD'), 'ref: refs/heads/main\n');
  await writeFile(join(gitDir, 'config'), CONFIG);
  await writeFile(join(gitDir, 'info/attributes'), ATTRIBUTES);
  await writeFile(join(gitDir, 'info/exclude'), `${options.exclude.join('\n')}\n`);
  // Left by a git process that was killed. No other process uses the directory.
  await rm(join(gitDir, 'index.lock'), { force: true });
  const env = buildEnvironment(worktree, gitDir, options.path ?? DEFAULT_PATH);
  const run: TrustedGit['run'] = async (args, runOptions = {}) => {
    // A git that writes an index compares entries as young as the index with their files, by relative names. So every command
    // must run in the worktree, even one that does not need it, or a change within the same second is lost for good.
    const exists = (await lstat(worktree).catch(() => undefined))?.isDirectory() ?? false;
    const directory = runOptions.worktree ?? (exists ? worktree : gitDir);
    return runGit(gitDir, env, ['-C', directory, ...args], runOptions);
  };
  const [, major = '0', minor = '0'] = /(\d+)\.(\d+)/.exec((await run(['version'])).text.toString()) ?? [];
  return { gitDir, worktree, canPackMany: Number(major) * 1000 + Number(minor) >= 2038, run };
}

function buildEnvironment(worktree: string, gitDir: string, path: string): Record<string, string> {
  return {
    PATH: path,
    HOME: gitDir,
    XDG_CONFIG_HOME: gitDir,
    LC_ALL: 'C',
    GIT_DIR: gitDir,
    GIT_WORK_TREE: worktree,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: 'false',
    SSH_ASKPASS: 'false',
  };
}

function runGit(
  gitDir: string,
  env: Record<string, string>,
  args: readonly string[],
  options: GitOptions,
): Promise<GitOutput> {
  const {
    settings = [],
    indexFile,
    worktree,
    maxBytes = 64 * MIB,
    cut = false,
    timeoutMs = TIMEOUT_MS,
    interrupted = 0,
  } = options;
  return new Promise((resolve, reject) => {
    const child = execFile(
      'git',
      [...OVERRIDES, ...settings.flatMap((setting) => ['-c', setting]), ...args],
      {
        // Not the worktree, because the agent may delete it, and a missing `cwd` is reported as "git not found".
        cwd: gitDir,
        env: {
          ...env,
          ...(indexFile === undefined ? {} : { GIT_INDEX_FILE: indexFile }),
          ...(worktree === undefined ? {} : { GIT_WORK_TREE: worktree }),
        },
        encoding: 'buffer',
        maxBuffer: maxBytes,
        timeout: timeoutMs,
        killSignal: 'SIGKILL',
      },
      (error, stdout, stderr) => {
        if (error === null || (options.accept !== undefined && error.code === options.accept))
          return resolve({ text: stdout, cut: false });
        if (isOverflow(error) && cut) return resolve({ text: stdout.subarray(0, maxBytes), cut: true });
        const fail = () => reject(describeFailure(args, env.GIT_WORK_TREE ?? '', error, stderr, timeoutMs));
        // The signal was meant for Autobuild, which parks the run and still needs git for that.
        if (SENT_TO_ALL.has(error.signal) && interrupted < MOST_INTERRUPTIONS) {
          const again = () =>
            resolve(runGit(gitDir, env, args, { ...options, interrupted: interrupted + 1 }));
          rm(`${indexFile ?? join(gitDir, 'index')}.lock`, { force: true }).then(again, again);
        }
        // A git that is killed leaves its lock file.
        else if (error.killed)
          rm(`${indexFile ?? join(gitDir, 'index')}.lock`, { force: true }).then(fail, fail);
        else fail();
      },
    );
    // Git may exit before it has read all input. Its exit code says why.
    child.stdin?.on('error', (error) => error);
    child.stdin?.end(options.input ?? '');
  });
}

function isOverflow(error: Error & { code?: unknown }): boolean {
  return error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER';
}

function describeFailure(
  args: readonly string[],
  worktree: string,
  error: Error & { code?: unknown; killed?: boolean },
  stderr: Buffer,
  timeoutMs: number,
): GitFailedError {
  const command = `git ${args[2]}`;
  if (error.code === 'ENOENT') {
    return new GitFailedError(`${command}: git was not found. Install git 2.30 or newer.`, { cause: error });
  }
  const why = isOverflow(error)
    ? 'its output was larger than expected'
    : error.killed
      ? `it took longer than ${timeoutMs / 1000} s`
      : stderr.toString('utf8').trim().slice(0, 2000) || String(error.code ?? error.message);
  return new GitFailedError(`${command} failed on the worktree ${worktree}: ${why}`, { cause: error });
}
