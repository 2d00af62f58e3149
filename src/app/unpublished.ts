import type { Unpublished } from '../core/comment-context.ts';
import type { AppParts } from './parts.ts';

type Store = Pick<AppParts, 'store'>;

const markOf = (run: string) => `unpublished:${run}`;

/** Why the work of a run is not, or not all, where people look for it. Undefined: it is. */
export async function whyUnpublished({ store }: Store, run: string): Promise<Unpublished | undefined> {
  const text = await store.marks.get(markOf(run));
  return text ? JSON.parse(text) : undefined;
}

export async function rememberUnpublished(
  { store }: Store,
  run: string,
  why: Unpublished | undefined,
): Promise<void> {
  await store.marks.set(markOf(run), why ? JSON.stringify(why) : '');
}
