// Plain JavaScript without packages, because an install from a git address may run a script of this folder on any Node.
import { parseArgs } from 'node:util';

/**
 * The command line of a script: its options, and at most so many other words. `--help` prints the usage and ends the process, as
 * does anything that the script does not know: it must not become the name of a folder.
 */
export function readArguments(usage, options = {}, most = 0) {
  const known = { ...options, help: { type: 'boolean', short: 'h' } };
  let read;
  try {
    read = parseArgs({ options: known, allowPositionals: true });
  } catch (error) {
    refuse(error.message.split('. ')[0], usage);
  }
  const { values, positionals } = read;
  if (values.help) {
    process.stdout.write(usage);
    process.exit(0);
  }
  if (positionals.length > most) refuse(`Unexpected argument '${positionals[most]}'`, usage);
  return { values, positionals };
}

function refuse(problem, usage) {
  process.stderr.write(`✗ ${problem}\n${usage}`);
  process.exit(64);
}
