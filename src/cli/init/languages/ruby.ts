import type { RepositoryFiles } from '../../../runner/checks/repository-files.ts';
import type { DetectedLanguage } from '../set-up.ts';
import { findVersion, toolVersions } from '../version-file.ts';

const DEFAULT_RUBY = '3.4';

export function detectRuby(files: RepositoryFiles): DetectedLanguage | undefined {
  if (!files.exists('Gemfile')) return undefined;
  const found = findVersion(
    files,
    'Ruby',
    [{ file: '.ruby-version', pattern: /^\s*(?:ruby-|jruby-|truffleruby-)?\d/ }, toolVersions('ruby')],
    DEFAULT_RUBY,
  );
  return {
    summary: `Ruby (${found.words}) with Bundler`,
    parts: [
      // With a cache, which needs a lockfile, the action itself installs the gems, and the command finds them there.
      {
        kind: 'tool',
        tool: 'ruby',
        version: found.version,
        ...(files.exists('Gemfile.lock') && { cache: 'bundler' }),
      },
      { kind: 'command', run: 'bundle install' },
    ],
    notes: found.notes,
  };
}
