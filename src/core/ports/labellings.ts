/** The event that set the label a run was started by, with GitHub's time. */
export interface Labelling {
  /** The id of the event. Absent if GitHub's list of events did not have it yet. */
  event?: number;
  at: string;
}

export interface Labellings {
  of(run: string): Promise<Labelling | undefined>;
}
