// Adds a journal to test/fixtures/journals:
//
//   npx node scripts/freeze-journal.mjs <journal.jsonl> <name>    a journal that a run has written
//   npx node scripts/freeze-journal.mjs --guard <id>              a run that trips a guard by its story in every-guard.ts
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { foldRun } from '../src/core/decide/evolve.ts';
import { readJournal } from '../src/store/file.ts';
import { journalOfGuard } from '../test/guards/journal-of-guard.ts';

const [source, name] = process.argv.slice(2);
if (!source || !/^[a-z0-9_-]+$/.test(name ?? '')) {
  console.error('Usage: npx node scripts/freeze-journal.mjs <journal.jsonl> <name>');
  console.error('       npx node scripts/freeze-journal.mjs --guard <id>');
  process.exit(2);
}
if (source === '--guard') freeze(journalOfGuard(name), `guard-${name.replaceAll('_', '-')}`);
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
