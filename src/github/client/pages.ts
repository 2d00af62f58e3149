import { GitHubError, type Listing } from '../../core/ports/github-port.ts';

export const PER_PAGE = 100;
const MAX_PAGES = 100;

interface Page<Item> {
  items: Item[];
  link?: string;
  /** No later page is wanted. */
  isLast?: boolean;
}

/**
 * Reads every item of a list. A full page is followed by another request even if a proxy dropped the `Link` header, and a short
 * page if `Link` says so, because missing comments would lose commands.
 */
export async function readAllPages<Item>(
  what: string,
  readPage: (page: number) => Promise<Page<Item>>,
): Promise<Item[]> {
  const all: Item[] = [];
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const { items, link, isLast } = await readPage(page);
    all.push(...items);
    if (isLast || !hasNext({ items, link })) return all;
  }
  throw new GitHubError(`There are more than ${MAX_PAGES * PER_PAGE} ${what}, which is more than we read.`, {
    status: 413,
  });
}

function hasNext({ items, link }: { items: unknown[]; link?: string }): boolean {
  return items.length >= PER_PAGE || link?.includes('rel="next"') === true;
}

type ConditionalPage<Item> = Page<Item> & { etag?: string };

/**
 * Reads a list only if one of its pages changed: an unchanged page costs nothing of the rate limit. The list must have the
 * newest change first, so that no change escapes to a page that was not there before. `isLast` ends it before its last page,
 * and so does `mostPages`, after which the list is marked as cut.
 */
export async function readChangedPages<Item>(
  what: string,
  etags: readonly string[],
  readPage: (page: number, etag?: string) => Promise<ConditionalPage<Item> | undefined>,
  { isLast = () => false, mostPages }: { isLast?: (items: Item[]) => boolean; mostPages?: number } = {},
): Promise<Listing<Item> | undefined> {
  let changed: { page: number; answer: ConditionalPage<Item> } | undefined;
  for (const [index, etag] of etags.entries()) {
    const answer = await readPage(index + 1, etag);
    if (!answer) continue;
    changed = { page: index + 1, answer };
    break;
  }
  if (!changed && etags.length > 0) return undefined;
  const read: string[] = [];
  let isCut = false;
  const items = await readAllPages(what, async (page) => {
    const answer = changed?.page === page ? changed.answer : await readPage(page);
    if (!answer) return { items: [] };
    // Without an ETag nothing can be compared later, so the list is read again each time.
    if (answer.etag !== undefined) read.push(answer.etag);
    isCut = page === mostPages && hasNext(answer);
    return isCut || isLast(answer.items) ? { items: answer.items, isLast: true } : answer;
  });
  return { items, etags: read, ...(isCut ? { isCut } : {}) };
}
