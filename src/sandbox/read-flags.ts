import { parseArgs } from 'node:util';
import { EXIT } from '../cli/exit-code.ts';

/** Reads the command line. Undefined means that help or a problem was printed and nothing is to be started. */
export function readFlags<Name extends string>(
  usage: string,
  names: readonly Name[],
): Partial<Record<Name, boolean>> | undefined {
  const options = Object.fromEntries(['help', ...names].map((name) => [name, { type: 'boolean' as const }]));
  let values: Partial<Record<string, boolean | string>>;
  try {
    values = parseArgs({ options: { ...options, help: { type: 'boolean', short: 'h' } } }).values;
  } catch (error) {
    const [problem] = (error as Error).message.split('. ');
    process.stderr.write(`✗ ${problem}\n${usage}`);
    process.exitCode = EXIT.usage;
    return undefined;
  }
  if (!values.help) return values as Partial<Record<Name, boolean>>;
  process.stdout.write(usage);
  return undefined;
}
