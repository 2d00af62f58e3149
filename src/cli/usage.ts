import { COMMANDS } from '../commands/registry.ts';
import { CONFIG_PATH } from '../core/config-path.ts';

const FORM_WIDTH = 16;

export const USAGE = `autobuild: run a coding agent on a task until its checks pass, and stop the moment it is stuck.

  autobuild run TASK.md [options] [-- COMMAND …]
  autobuild resume [RUN] [options]
  autobuild status [RUN] [--all] [--json]
  autobuild replay JOURNAL
  autobuild check-config [FILE]
  autobuild doctor [--agent NAME]
  autobuild doctor --repo OWNER/NAME [--json]
  autobuild init [--directory DIR] [--action OWNER/REPO@REF] [--force]

Run and resume:
  --agent NAME      an agent named in the config; or give its command after --
  --config FILE     instead of ${CONFIG_PATH}
  --verify COMMAND  a check that says whether the task is complete; may be repeated
  --max-turns N     instead of the config's
  --answer TEXT     a reply for the next question, such as '/continue +5'; may be repeated.
                    With none left the run is parked
  --directory DIR   the worktree; default: this directory
  --json            journal events on stdout, one per line; everything else on stderr
  --no-color        no colours (also NO_COLOR, a pipe, TERM=dumb)

Init writes the workflow, the settings and their JSON Schema for editors below .github.
  --force           replaces files that are there and differ; without it they are left alone

At the prompt the same commands work as on GitHub; Ctrl-C parks the run, twice cancels it.
${Object.values(COMMANDS).map(commandLines).join('\n')}

Exit codes: 0 done and verified · 1 failed, or accepted with failing checks ·
2 parked, waiting for input · 3 cancelled or terminated · 64 usage
`;

/** A form that is too wide for the column has its summary on the next line. */
function commandLines({ usage, summary }: { usage: string; summary: string }): string {
  const gap =
    usage.length > FORM_WIDTH ? `\n${' '.repeat(FORM_WIDTH + 4)}` : ' '.repeat(FORM_WIDTH - usage.length + 2);
  return `  ${usage}${gap}${summary}`;
}
