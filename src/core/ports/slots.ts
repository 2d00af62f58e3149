/** The place of a run that waits until fewer runs of its repository use a machine. */
export interface QueuePlace {
  /** Runs of the repository that have a slot. */
  building: number;
  /** 1: the next one. */
  position: number;
}

/**
 * One slot for each run of a repository that uses a machine. A run keeps it over its jobs and loses it when it ends or waits
 * for a person without a live job.
 */
export interface Slots {
  /**
   * Takes a slot, unless `most` runs of the repository have one or runs that wait longer need the free ones. A run that gets none
   * joins the queue. `waited` tells whether it was in the queue before. Undefined if the run does not work any more: it takes
   * nothing and joins nothing, because nothing would take it out again.
   */
  take(
    run: string,
    most: number,
  ): Promise<{ taken: true; waited: boolean } | ({ taken: false } & QueuePlace) | undefined>;
  /** Undefined unless the run waits for a slot. */
  queued(run: string): Promise<QueuePlace | undefined>;
}
