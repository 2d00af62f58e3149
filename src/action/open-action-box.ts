import { dirname, join } from 'node:path';
import type { Box } from '../runner/box/box.ts';
import { BoxRefusedError, type IsolationMode } from '../runner/box/open-box.ts';
import { openJobBox } from '../runner/job/open-job-box.ts';
import { ActionError } from './action-error.ts';
import { COMMAND_FILES } from './command-files.ts';

interface ActionBoxOptions {
  env: Readonly<Record<string, string | undefined>>;
  worktree: string;
  runDir: string;
  /** As the config asks. */
  mode: IsolationMode | undefined;
  /** The command line that starts this program again. */
  self: readonly string[];
}

/** Below RUNNER_TEMP on GitHub's machines, but the runner decides. */
const FILES = ['GITHUB_EVENT_PATH', ...COMMAND_FILES];

/**
 * The box of a job in Actions. It hides the runner: its event and command files (in RUNNER_TEMP), the code of actions, and the
 * runner's own installation. Only this program stays readable of them, because the agent's hook starts it.
 */
export function openActionBox({ env, worktree, runDir, mode, self }: ActionBoxOptions): Box {
  const files = FILES.map((name) => env[name]);
  const hidden = [env.RUNNER_TEMP, ...files, ...self.map(hostOf)].filter((path) => path !== undefined);
  const [node = '', program = ''] = self;
  try {
    return openJobBox({
      worktree,
      runDir,
      mode: mode ?? (isHostedLinux(env) ? 'required' : 'best'),
      hidden,
      readable: [node, dirname(program)],
      home: env.HOME,
    });
  } catch (error) {
    if (!(error instanceof BoxRefusedError)) throw error;
    throw new ActionError(
      error.message,
      'Set `isolation: best` in .github/autobuild.yml to run without isolation, or set the machine up for it: docs/isolation.md.',
    );
  }
}

/** A failure to make a box on a machine of GitHub is a fault and no property of the machine. */
function isHostedLinux({ RUNNER_ENVIRONMENT, RUNNER_OS }: ActionBoxOptions['env']): boolean {
  return RUNNER_ENVIRONMENT === 'github-hosted' && RUNNER_OS === 'Linux';
}

/** The directory of the runner that holds this file: `_actions` with all actions, or the installation above `externals`. */
function hostOf(file: string): string | undefined {
  const parts = file.split('/');
  const actions = parts.lastIndexOf('_actions');
  if (actions > 0) return join('/', ...parts.slice(0, actions + 1));
  const externals = parts.lastIndexOf('externals');
  return externals > 0 ? join('/', ...parts.slice(0, externals)) : undefined;
}
