/** The memory of reconcile between two rounds, by the thing it looks at. */
export interface CursorValues {
  /** `owner/repo`: when its labelled issues were last listed. */
  labels: { read_at: string };
  /** `repo_id#issue`: a labelled issue that started nothing, as it was then. */
  labelled_issue: { updated_at: string };
  /** A run: how far its comments were read by the number of issue or pull request, and what was seen unchanged. */
  run: { comments?: Record<string, string>; pull?: string; question?: string };
  /** A run whose label was deleted or renamed in the whole repository. Without a time, somebody has set it again since. */
  label_gone: { since?: string };
  /** `all`: when pull requests of runs at rest were last read. */
  resting: { read_at: string };
  /** `all`: failed deliveries of the App. */
  deliveries: { looked_at?: string; seen?: string; problem?: string };
  /** The GUID of a delivery: how often GitHub was asked to send it again, and the attempt that failed before. */
  redelivery: { tries: number; after: string };
}

export interface Cursors {
  get<Name extends keyof CursorValues>(name: Name, of: string): Promise<CursorValues[Name] | undefined>;
  set<Name extends keyof CursorValues>(name: Name, of: string, value: CursorValues[Name]): Promise<void>;
}
