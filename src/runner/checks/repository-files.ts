/** Access to the repository's files. Paths are relative to its root. */
export interface RepositoryFiles {
  exists(path: string): boolean;
  /** Undefined if it is not there or cannot be read as text. */
  read(path: string): string | undefined;
  /** Names in a directory, sorted. Empty if there is none. */
  list(directory: string): string[];
}
