import type { RepositoryFiles } from '../../runner/checks/repository-files.ts';

interface VersionSource {
  file: string;
  /** Finds the version in the text. The action for the language reads the file by itself, by the same rules. */
  pattern: RegExp;
}

interface FoundVersion {
  version: { file: string } | { value: string };
  words: string;
  notes: string[];
}

/** The first file that names a version of the language. A file that names none, or cannot be read, is told. */
export function findVersion(
  files: RepositoryFiles,
  language: string,
  sources: readonly VersionSource[],
  fallback: string,
): FoundVersion {
  const notes: string[] = [];
  for (const { file, pattern } of sources) {
    if (!files.exists(file)) continue;
    const text = files.read(file);
    if (text !== undefined && pattern.test(text))
      return { version: { file }, words: `version from ${file}`, notes };
    // Files of many purposes need not name a version.
    if (text === undefined)
      notes.push(`${file} cannot be read, so it does not choose the version of ${language}.`);
    else if (file.endsWith('-version') || file === '.nvmrc')
      notes.push(`${file} names no version of ${language} that its action knows.`);
  }
  return { version: { value: fallback }, words: `version ${fallback}`, notes };
}

/** A line of asdf's or mise's `.tool-versions`. */
export function toolVersions(...names: string[]): VersionSource {
  return { file: '.tool-versions', pattern: new RegExp(`^(?:${names.join('|')})[ \\t]+v?\\d`, 'm') };
}
