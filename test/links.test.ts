import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import MarkdownIt from 'markdown-it';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const markdown = new MarkdownIt({ html: true });

interface Page {
  urls: string[];
  anchors: Set<string>;
}

/** The pages that people read on GitHub. */
const PAGES = ['', 'docs', 'bench', 'test/fixtures/journals']
  .flatMap((folder) => readdirSync(join(root, folder)).map((name) => join(folder, name)))
  .filter((file) => file.endsWith('.md'))
  .toSorted();

const read = new Map<string, Page>();

function readPage(file: string): Page {
  const page = read.get(file) ?? parse(readFileSync(join(root, file), 'utf8'));
  read.set(file, page);
  return page;
}

function parse(text: string): Page {
  const tokens = markdown.parse(text, {});
  const inner = tokens.flatMap((token) => [token, ...(token.children ?? [])]);
  const urls = inner.flatMap((token) => token.attrGet('href') ?? token.attrGet('src') ?? []).map(String);
  const html = inner.filter(({ type }) => type.startsWith('html_')).map(({ content }) => content);
  const inHtml = [...html.join('\n').matchAll(/\b(?:src|srcset|href)="([^"]+)"/g)];
  const anchors = new Set<string>();
  tokens.forEach((token, index) => {
    if (token.type !== 'heading_open') return;
    const name = anchorOf((tokens[index + 1]?.children ?? []).map(({ content }) => content).join(''));
    let unique = name;
    for (let number = 1; anchors.has(unique); number++) unique = `${name}-${number}`;
    anchors.add(unique);
  });
  return { urls: [...urls, ...inHtml.flatMap(([, url]) => url ?? [])], anchors };
}

/** As GitHub makes it of a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-');
}

function problemOf(page: string, url: string): string | undefined {
  if (/^[a-z][a-z+.-]*:/i.test(url)) return undefined;
  const [path = '', anchor] = url.split('#');
  const target = path === '' ? page : relative(root, join(root, dirname(page), decodeURI(path)));
  if (target.startsWith('..') || !existsSync(join(root, target))) return `${url} leads nowhere`;
  if (anchor === undefined || !target.endsWith('.md') || readPage(target).anchors.has(anchor))
    return undefined;
  return `${url} names no heading of ${target}`;
}

test.each(PAGES)('every link and picture of %s leads to a file, and every anchor to a heading', (page) => {
  expect(readPage(page).urls.flatMap((url) => problemOf(page, url) ?? [])).toEqual([]);
});

test('the README leads to every page of the documentation', () => {
  const linked = new Set(readPage('README.md').urls.map((url) => url.split('#')[0]));
  expect(PAGES.filter((page) => page.startsWith('docs/') && !linked.has(page))).toEqual([]);
});

test('every picture is shown somewhere, and every page of the product in light, dark and on a phone', () => {
  const shown = new Set(
    PAGES.flatMap((page) => readPage(page).urls.map((url) => relative(root, join(root, dirname(page), url)))),
  );
  const names = (folder: string) => readdirSync(join(root, folder)).filter((name) => name.includes('.'));
  const files = ['docs/images', 'docs/images/pages'].flatMap((folder) =>
    names(folder).map((name) => join(folder, name)),
  );
  expect(files.filter((file) => !shown.has(file))).toEqual([]);
  const looks = names('docs/images/pages').map((name) => name.split('-'));
  for (const page of ['runs', 'run', 'approval', 'form', 'analytics'])
    expect(looks.flatMap(([of, look]) => (of === page ? [look] : [])).toSorted()).toEqual([
      ...['dark.png', 'light.png', 'phone.png'],
    ]);
});
