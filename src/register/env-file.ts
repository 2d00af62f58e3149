import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { parseEnv } from 'node:util';

/** Values that are new; those that a file has already are kept. */
export interface EnvValues {
  /** Replace what is there. */
  set: Record<string, string>;
  /** Only where the file has none of the names. */
  defaults: { names: readonly string[]; value: string }[];
}

/** The names of `wanted` that the file gives a value to. Empty if there is no such file. */
export function namesInEnvFile(file: string, wanted: readonly string[]): string[] {
  const known = existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {};
  return wanted.filter((name) => known[name]);
}

/** Replaces the file by one that only its owner can read. Its other lines stay as they are, and a crash leaves the old file. */
export function writeEnvFile(file: string, values: EnvValues): void {
  // A link is followed, so that it stays one.
  const target = existsSync(file) ? realpathSync(file) : file;
  const before = existsSync(target) ? readFileSync(target, 'utf8') : '';
  const temporary = join(dirname(target), `.env.${randomBytes(6).toString('hex')}.tmp`);
  const handle = openSync(temporary, 'wx', 0o600);
  try {
    writeSync(handle, mergeEnv(before, values));
    fsyncSync(handle);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  } finally {
    closeSync(handle);
  }
  renameSync(temporary, target);
}

function mergeEnv(before: string, { set, defaults }: EnvValues): string {
  const known = parseEnv(before);
  const missing = defaults.filter(({ names }) => !names.some((name) => known[name] || set[name]));
  const added = {
    ...set,
    ...Object.fromEntries(missing.map(({ names: [name = ''], value }) => [name, value])),
  };
  const kept = dropValues(before, Object.keys(added)).trimEnd();
  const lines = Object.entries(added).map(([name, value]) => `${name}=${quote(value)}`);
  return `${kept === '' ? '' : `${kept}\n\n`}# Written by autobuild register.\n${lines.join('\n')}\n`;
}

/** Leaves out the lines that give these names a value, with all lines of a quoted value. */
function dropValues(text: string, names: readonly string[]): string {
  const assignment = new RegExp(
    `^[ \\t]*(?:export[ \\t]+)?(?:${names.join('|')})[ \\t]*=[ \\t]*(?:"[^"]*"|'[^']*'|\`[^\`]*\`)?[^\\n]*(?:\\n|$)`,
    'gm',
  );
  return text.replace(assignment, '').replaceAll('# Written by autobuild register.\n', '');
}

/** A line break is written as `\n`, which the reader of the file turns back inside of double quotes. */
function quote(value: string): string {
  return /^[\w./:@+=-]*$/.test(value) ? value : `"${value.trimEnd().replaceAll('\n', '\\n')}"`;
}
