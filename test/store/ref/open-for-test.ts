import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deriveKeys } from '../../../src/store/ref/keys.ts';
import { openRefStore, type RefStore, type RefStoreOptions } from '../../../src/store/ref/ref-store.ts';

export const REPOSITORY = { id: 77, name: 'alice/demo' };
export const REF = 'refs/autobuild/issue-7';
export const STATE_KEY = 'k'.repeat(44);
export const KEYS = deriveKeys({ stateKey: STATE_KEY, modelKey: 'a model key', repository: REPOSITORY });

/** Where there is one, a disk in memory: the races open some thousand databases. */
const SCRATCH = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** Opens the state of issue 7, in a directory of its own that goes when the store is closed. */
export async function openForTest(
  given: Partial<RefStoreOptions> & Pick<RefStoreOptions, 'storage'>,
): Promise<RefStore> {
  const directory = mkdtempSync(join(SCRATCH, 'autobuild-ref-'));
  const remove = () => rmSync(directory, { recursive: true, force: true });
  try {
    const opened = await openRefStore({
      repository: REPOSITORY,
      issue: 7,
      keys: KEYS,
      holder: { run: 1, attempt: 1, part: 'desk' },
      isOver: async () => false,
      now: Date.now,
      sleep: async () => undefined,
      directory,
      ...given,
    });
    return {
      ...opened,
      release: (options) => opened.release(options).finally(remove),
      abandon: () => opened.abandon().finally(remove),
    };
  } catch (error) {
    remove();
    throw error;
  }
}
