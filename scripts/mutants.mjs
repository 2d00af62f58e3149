import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KNOWN_FAULTS } from './known-faults.ts';
import { readArguments } from './read-arguments.mjs';

/** `npm run mutants [-- words of a name]`. Two at a time; each is played for so many seeds, and so many minutes at most. */
const SEEDS = process.env.SIMULATION_SEEDS ?? '2000';
const LONGEST_MS = 15 * 60_000;
const AT_ONCE = 2;

const root = join(import.meta.dirname, '..');
const USAGE = `Usage: npm run mutants [-- 'WORDS OF A NAME']

Puts known faults back, one at a time, and says which seed of the simulation notices each.
  -- --help   this text
`;
const [wanted = ''] = readArguments(USAGE, {}, 1).positionals;
const queue = KNOWN_FAULTS.filter(({ name }) => name.includes(wanted));
const count = queue.length;
const survivors = [];
let done = 0;
process.stdout.write(`${count} mutants, ${SEEDS} seeds each\n`);
await Promise.all(Array.from({ length: AT_ONCE }, work));
process.stdout.write(
  survivors.length > 0 ? `NOT NOTICED: ${survivors.join('; ')}\n` : `all ${count} were noticed\n`,
);
process.exitCode = survivors.length > 0 || count === 0 ? 1 : 0;

async function work() {
  for (let mutant = queue.shift(); mutant; mutant = queue.shift()) {
    const { noticed, said } = await play(mutant);
    done += 1;
    if (!noticed) survivors.push(mutant.name);
    process.stdout.write(`[${done}/${count}] ${mutant.name}\n  ${said}\n`);
  }
}

async function play(mutant) {
  const scratch = mkdtempSync(join(tmpdir(), 'autobuild-mutant-'));
  try {
    for (const part of ['src', 'test/simulation', 'test/core', 'templates', 'package.json'])
      cpSync(join(root, part), join(scratch, part), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(scratch, 'node_modules'));
    for (const edit of [mutant, ...(mutant.also ?? [])]) mutate(scratch, edit);
    const hinted = mutant.seed === undefined ? undefined : await run(scratch, mutant.seed, '1');
    const { code, out, err } = isNoticed(hinted) ? hinted : await run(scratch, '1', SEEDS);
    const noticed = isNoticed({ code, out });
    if (noticed) return { noticed, said: out.trim().slice(0, 200) };
    const why = code === null ? `in ${LONGEST_MS / 60_000} minutes` : `in ${SEEDS} seeds`;
    return { noticed, said: `NOT NOTICED ${why} ${err.trim().slice(-500)}` };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function isNoticed(played) {
  return played?.code === 1 && played.out.startsWith('seed ');
}

/** `code` is null if the time was over. */
function run(cwd, first, count) {
  const child = spawn(process.execPath, ['test/simulation/run.ts', String(first), count, 'first'], {
    cwd,
    timeout: LONGEST_MS,
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (text) => {
    out += text;
  });
  child.stderr.on('data', (text) => {
    err += text;
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, out, err }));
  });
}

function mutate(scratch, { file, from, to }) {
  const path = join(scratch, file);
  let text = readFileSync(path, 'utf8');
  const [befores, afters] = [[from].flat(), [to].flat()];
  for (const [index, before] of befores.entries()) {
    if (!text.includes(before)) throw new Error(`${file} has no ${JSON.stringify(before)} any more.`);
    text = text.replace(before, () => afters[index]);
  }
  writeFileSync(path, text);
}
