/** A language or tool that an action installs. */
export type ToolName = 'node' | 'python' | 'go' | 'java' | 'ruby' | 'dotnet';

/**
 * One part of what a job needs before its agent or its checks can run, in the order of the parts. It is data and no text of
 * a workflow, because more than one kind of workflow is made from it.
 */
export type SetUpPart =
  | {
      kind: 'tool';
      tool: ToolName;
      /** A file of the repository that names the version, or the version itself. */
      version: { file: string } | { value: string };
      /** The newest major version that this allows, where it is known. */
      newest?: number;
      /** The package manager whose downloads are kept between jobs. */
      cache?: string;
      /** The file that says whether what was kept still fits, where the action does not find it by itself. */
      cacheFile?: string;
      /** True where nothing may be kept, also by an action that would without being asked. */
      isUncached?: boolean;
      /** Where the tool's own action also installs the packages. */
      directory?: string;
    }
  | { kind: 'cache'; paths: string[]; file: string }
  | { kind: 'command'; run: string; directory?: string };

/** The needs of one language of a repository. */
export interface DetectedLanguage {
  /** In a person's words, such as `Node.js (version from .nvmrc) with pnpm 10.4.1`. */
  summary: string;
  parts: SetUpPart[];
  /** Sentences for a person, one fact each. */
  notes: string[];
}

/** The needs of a repository, found from its files. */
export interface SetUp {
  languages: string[];
  parts: SetUpPart[];
  checks: string[];
  notes: string[];
}
