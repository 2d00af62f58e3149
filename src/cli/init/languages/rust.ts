import type { RepositoryFiles } from '../../../runner/checks/repository-files.ts';
import type { DetectedLanguage, SetUpPart } from '../set-up.ts';

/** GitHub's machines have rustup, which obeys the repository's toolchain file, so no action is needed. */
export function detectRust(files: RepositoryFiles): DetectedLanguage | undefined {
  if (!files.exists('Cargo.toml')) return undefined;
  const toolchain = ['rust-toolchain.toml', 'rust-toolchain'].find(files.exists);
  const isLocked = files.exists('Cargo.lock');
  const cache: SetUpPart = {
    kind: 'cache',
    paths: ['~/.cargo/registry/index', '~/.cargo/registry/cache', '~/.cargo/git/db'],
    file: 'Cargo.lock',
  };
  return {
    summary: `Rust (${toolchain ? `toolchain from ${toolchain}` : 'the stable toolchain'})`,
    parts: [
      // rustup installs the toolchain that the file names.
      {
        kind: 'command',
        run: toolchain ? 'rustup toolchain install' : 'rustup update stable --no-self-update',
      },
      ...(isLocked ? [cache] : []),
      { kind: 'command', run: isLocked ? 'cargo fetch --locked' : 'cargo fetch' },
    ],
    notes: [],
  };
}
