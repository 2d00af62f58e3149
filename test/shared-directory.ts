import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A directory for what is made once and used by many test files. It goes when the last one has ended. */
export function setup(): void {
  process.env.AUTOBUILD_TESTS_DIRECTORY = mkdtempSync(join(tmpdir(), 'autobuild-tests-'));
}

export function teardown(): void {
  rmSync(process.env.AUTOBUILD_TESTS_DIRECTORY ?? '', { recursive: true, force: true });
}
