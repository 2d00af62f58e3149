import { GitHubError } from '../../core/ports/github-port.ts';

export const PER_PAGE = 100;
const MAX_PAGES = 100;

interface Page<Item> {
  items: Item[];
  link?: string;
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
    const { items, link } = await readPage(page);
    all.push(...items);
    if (items.length < PER_PAGE && !link?.includes('rel="next"')) return all;
  }
  throw new GitHubError(`There are more than ${MAX_PAGES * PER_PAGE} ${what}, which is more than we read.`, {
    status: 413,
  });
}
