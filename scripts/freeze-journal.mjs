// Adds a journal to test/fixtures/journals: npx node scripts/freeze-journal.mjs <journal.jsonl> <name>
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { foldRun } from '../src/core/decide/evolve.ts';
import { readJournal } from '../src/store/file.ts';

const [source, name] = process.argv.slice(2);
if (!source || !/^[a-z0-9-]+$/.test(name ?? '')) {
  console.error('Usage: npx node scripts/freeze-journal.mjs <journal.jsonl> <name>');
  process.exit(2);
}
const folder = join(import.meta.dirname, '..', 'test', 'fixtures', 'journals');
const journal = readFileSync(source, 'utf8');
const state = foldRun(readJournal(journal, source).commits.flatMap(({ events }) => events));
if (!state) throw new Error(`${source} holds no run.`);
// One field per line, so that a difference is readable.
const fields = Object.entries(JSON.parse(JSON.stringify(state)));
const lines = fields.map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`);
// `wx` refuses to overwrite, because a frozen journal never changes.
writeFileSync(join(folder, `${name}.jsonl`), journal, { flag: 'wx' });
writeFileSync(join(folder, `${name}.state.json`), `{\n${lines.join(',\n')}\n}\n`, { flag: 'wx' });
