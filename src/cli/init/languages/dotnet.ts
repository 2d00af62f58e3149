import type { RepositoryFiles } from '../../../runner/checks/repository-files.ts';
import type { DetectedLanguage } from '../set-up.ts';
import { findVersion } from '../version-file.ts';

const DEFAULT_DOTNET = '8.0.x';

export function detectDotnet(files: RepositoryFiles): DetectedLanguage | undefined {
  const projects = files.list('.').filter((name) => /\.(?:slnx?|[cf]sproj)$/.test(name));
  if (projects.length === 0) return undefined;
  const [, framework] =
    projects
      .map((name) => /<TargetFrameworks?>net(\d{1,2}\.\d)[;<]/.exec(files.read(name) ?? ''))
      .find((match) => match !== null) ?? [];
  const found = findVersion(
    files,
    '.NET',
    [{ file: 'global.json', pattern: /"version"\s{0,9}:/ }],
    framework ? `${framework}.x` : DEFAULT_DOTNET,
  );
  return {
    summary: `.NET (${found.words})`,
    parts: [
      { kind: 'tool', tool: 'dotnet', version: found.version },
      { kind: 'command', run: 'dotnet restore' },
    ],
    notes: found.notes,
  };
}
