import { COMMANDS } from '../commands/registry.ts';
import { terminalWords } from '../comments/terminal/terminal-text.ts';
import { CONFIG_PATH } from '../core/config-path.ts';

const FORM_WIDTH = 16;

export const USAGE = `autobuild: run a coding agent on a task until its checks pass, and stop the moment it is stuck.

  autobuild run TASK.md|-|ISSUE_URL [options] [-- COMMAND …]
  autobuild run --task TEXT [options] [-- COMMAND …]
  autobuild resume [RUN] [options]
  autobuild status [RUN] [--all] [--json]
  autobuild runs [--json]
  autobuild diff [RUN]
  autobuild undo [RUN] [--force]
  autobuild replay RUN|JOURNAL
  autobuild check-config [FILE]
  autobuild doctor [--agent NAME]
  autobuild doctor --repo OWNER/NAME [--json]
  autobuild init [--agent NAME] [--app] [--desk URL] [--reminders] [--action OWNER/REPO@COMMIT] [--pull-request] [--dry-run] [--force]
  autobuild register --desk URL [--org NAME] [--host HOST]
  autobuild serve

autobuild COMMAND --help says more about one of them, with examples.

Run and resume:
  --agent NAME      a built-in agent, or one of the config; or give its command after --
  --config FILE     instead of ${CONFIG_PATH}
  --verify COMMAND  a check that says whether the task is complete; may be repeated
  --max-turns N     instead of the config's
  --answer TEXT     a reply for the next question, such as '/continue +5'; may be repeated.
                    With none left the run pauses
  --directory DIR   the part of the repository that the task is about; default: all of it.
                    The whole repository is watched, and the config at its top counts
  --worktree        work in a worktree and branch of its own, from the last commit
  --dirty           run beside uncommitted changes
  --dry-run         say what would run, with which limits, and run nothing
  --json            journal events on stdout, one per line; everything else on stderr
  --no-color        no colours (also NO_COLOR, a pipe, TERM=dumb)

Init writes the workflow, the settings and their JSON Schema for editors below .github.
  --pull-request    pushes a branch and opens a pull request instead
  --force           replaces files that are there and differ; without it they are left alone

At the prompt the same commands work as on GitHub; Ctrl-C pauses the run, twice cancels it.
${Object.values(COMMANDS)
  .filter(({ name }) => name !== 'terminate')
  .map(commandLines)
  .join('\n')}

Exit codes: 0 done and verified · 1 failed, or accepted with failing checks ·
2 paused, waiting for you · 3 cancelled or terminated · 64 usage
`;

/** A form that is too wide for the column has its summary on the next line. */
function commandLines({ usage, summary }: { usage: string; summary: string }): string {
  const gap =
    usage.length > FORM_WIDTH ? `\n${' '.repeat(FORM_WIDTH + 4)}` : ' '.repeat(FORM_WIDTH - usage.length + 2);
  return `  ${usage}${gap}${terminalWords(summary)}`;
}
