import type { RepositoryFiles } from '../../../runner/checks/repository-files.ts';
import type { DetectedLanguage } from '../set-up.ts';
import { findVersion, toolVersions } from '../version-file.ts';

export function detectGo(files: RepositoryFiles): DetectedLanguage | undefined {
  if (!files.exists('go.mod')) return undefined;
  const found = findVersion(
    files,
    'Go',
    [
      { file: 'go.mod', pattern: /^go[ \t]+\d/m },
      { file: '.go-version', pattern: /^\s*\d/ },
      toolVersions('golang'),
    ],
    'stable',
  );
  const hasSums = files.exists('go.sum');
  return {
    summary: `Go (${found.words})`,
    parts: [
      { kind: 'tool', tool: 'go', version: found.version, cacheFile: hasSums ? 'go.sum' : 'go.mod' },
      ...(hasSums ? [{ kind: 'command' as const, run: 'go mod download' }] : []),
    ],
    notes: found.notes,
  };
}
