import type { Enter } from '../process/enter.ts';
import { runCheckCommand } from './run-check-command.ts';

const LOOK_MS = 30_000;
/** Words that need no quoting. A program with another name is left to the check itself. */
const PLAIN = /^[\w./@+-]+$/;

/** The first program of each command that the box does not have, as agent and checks will see it. */
export async function findMissingPrograms(
  commands: readonly string[],
  where: { cwd: string; env: Record<string, string>; enter?: Enter },
): Promise<{ command: string; program: string }[]> {
  const named = commands.flatMap((command) => {
    const program = command.split(/\s+/).find((word) => word !== '' && !/^\w+=/.test(word));
    return program && PLAIN.test(program) ? [{ command, program }] : [];
  });
  if (named.length === 0) return [];
  const programs = [...new Set(named.map(({ program }) => program))];
  const look = `for name in ${programs.join(' ')}; do command -v "$name" >/dev/null 2>&1 || echo "missing $name"; done`;
  const { output } = await runCheckCommand({ command: look, timeoutMs: LOOK_MS, ...where });
  const missing = new Set(output.split('\n'));
  return named.filter(({ program }) => missing.has(`missing ${program}`));
}

export function describeMissingProgram({ command, program }: { command: string; program: string }): string {
  return `The check \`${command}\` cannot start: \`${program}\` is not there in the box that agent and checks run in. Install it in a step before this one, into a directory on the PATH outside /tmp (in the home, or for the whole machine).`;
}
