import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { Vault } from '../core/ports/ports.ts';

const Values = z.record(z.string(), z.object({ key: z.string(), value: z.string() }));
type Values = z.infer<typeof Values>;

/** The vault of a local run: a file outside the worktree that only its user can read, deleted when the run ends. */
export function openFileVault(directory: string): Vault {
  const file = join(directory, 'inputs.json');
  const fresh = `${file}.new`;
  const read = (): Values => (existsSync(file) ? Values.parse(JSON.parse(readFileSync(file, 'utf8'))) : {});
  return {
    async put(_run, key, value) {
      const values = read();
      const ref = `input-${Object.keys(values).length + 1}`;
      // `mode` applies to new files only, so a file left by a crash would keep its own.
      rmSync(fresh, { force: true });
      writeFileSync(fresh, JSON.stringify({ ...values, [ref]: { key, value } }), { mode: 0o600 });
      renameSync(fresh, file);
      return ref;
    },
    async open(_run, refs) {
      const values = new Map(Object.entries(read()));
      return Object.fromEntries(
        refs.flatMap((ref) => {
          const found = values.get(ref);
          return found ? [[found.key, found.value]] : [];
        }),
      );
    },
    async forget() {
      rmSync(file, { force: true });
      rmSync(fresh, { force: true });
    },
  };
}
