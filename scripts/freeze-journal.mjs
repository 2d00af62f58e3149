// Adds a journal to test/fixtures/journals: one that a run has written, or that of a run that trips a guard by its story in
// every-guard.ts.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { foldRun } from '../src/core/decide/evolve.ts';
import { readJournal } from '../src/store/file.ts';
import { journalOfGuard } from '../test/guards/journal-of-guard.ts';
import { readArguments } from './read-arguments.mjs';

const USAGE = `Usage: npx node scripts/freeze-journal.mjs <journal.jsonl> <name>
       npx node scripts/freeze-journal.mjs --guard <id>
`;
const { values, positionals } = readArguments(USAGE, { guard: { type: 'string' } }, 2);
const [source, name = values.guard] = positionals;
if (!(source ?? values.guard) || !/^[a-z0-9_-]+$/.test(name ?? '')) {
  process.stderr.write(USAGE);
  process.exit(64);
}
if (values.guard) freeze(journalOfGuard(name), `guard-${name.replaceAll('_', '-')}`);
else freeze(readFileSync(source, 'utf8'), name);

function freeze(journal, as) {
  const folder = join(import.meta.dirname, '..', 'test', 'fixtures', 'journals');
  const state = foldRun(readJournal(journal, as).commits.flatMap(({ events }) => events));
  if (!state) throw new Error(`${source} holds no run.`);
  // One field per line, so that a difference is readable.
  const fields = Object.entries(JSON.parse(JSON.stringify(state)));
  const lines = fields.map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`);
  // `wx` refuses to overwrite, because a frozen journal never changes.
  writeFileSync(join(folder, `${as}.jsonl`), journal, { flag: 'wx' });
  writeFileSync(join(folder, `${as}.state.json`), `{\n${lines.join(',\n')}\n}\n`, { flag: 'wx' });
}
