/** A job hands over to its successor after this time, because GitHub ends a job after 360 minutes. */
export const DEFAULT_JOB_MINUTES = 340;
