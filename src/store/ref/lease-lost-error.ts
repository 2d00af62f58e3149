import { describeHolder, type Holder } from './lease.ts';

/** The ref was moved or deleted while this desk worked, so nothing more of it is kept. The next desk does what is left. */
export class LeaseLostError extends Error {
  override name = 'LeaseLostError';
  readonly ref: string;
  readonly remedy: string;

  constructor(ref: string, found: { holder?: Holder | null; oid?: string }) {
    const what = found.oid
      ? found.holder
        ? `was taken over by ${describeHolder(found.holder)}`
        : `was moved to ${found.oid.slice(0, 10)}`
      : 'was deleted';
    super(`The state of this issue (${ref}) ${what} while this job worked on it. The job stops here.`);
    this.ref = ref;
    this.remedy = found.oid
      ? 'Nothing has to be done: the job that has the state now continues with it.'
      : 'Label the issue again to start over.';
  }
}
