import type { Effect } from '../contracts/effect.ts';
import type { Queue } from './inbox.ts';

export interface OutgoingEffect {
  /** The operation id, `<run>.<version>.<index>`, which is unique and stable. */
  id: string;
  run: string;
  effect: Effect;
}

/** Effects of one run are performed in order. */
export type Outbox = Queue<OutgoingEffect>;
