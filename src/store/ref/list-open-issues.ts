import type { RefStorage } from '../../core/ports/ref-storage.ts';
import { beginElsewhere } from './begin-elsewhere.ts';
import { isHeld, readLease } from './lease.ts';
import { REF_PREFIX } from './ref-name.ts';

/** Reading a ref is one call, opening its state about twenty. A workflow's token has 1,000 an hour. */
const MOST_READ = 100;
const MOST_OPENED = 30;
const NUMBER = /^[1-9]\d{0,9}$/;

/** Issues with a run that has not ended and that no desk works on now. Where there are many, others each day. */
export async function listOpenIssues({
  storage,
  now,
}: {
  storage: Pick<RefStorage, 'list' | 'read'>;
  now(): number;
}): Promise<number[]> {
  const open: number[] = [];
  const refs = beginElsewhere(await storage.list(REF_PREFIX), MOST_OPENED, now());
  for (const ref of refs.slice(0, MOST_READ)) {
    if (open.length === MOST_OPENED) break;
    const number = ref.slice(REF_PREFIX.length);
    const tip = NUMBER.test(number) ? await storage.read(ref) : undefined;
    const lease = tip && readLease(tip.message);
    if (lease && !isHeld(lease, now()) && !lease.ended) open.push(Number(number));
  }
  return open;
}
