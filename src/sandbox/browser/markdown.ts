import MarkdownIt from 'markdown-it';
import { type DefaultTreeAdapterTypes, parseFragment, serialize, defaultTreeAdapter as tree } from 'parse5';

/** Elements that GitHub shows in comments. Others are shown without their tags, scripts and styles not at all. */
const SHOWN = new Set(
  'a b blockquote br code del details div em h1 h2 h3 h4 h5 h6 hr i input ins kbd li ol p pre s strong sub summary sup table tbody td th thead tr ul'.split(
    ' ',
  ),
);
const DROPPED = new Set([
  'script',
  'style',
  'iframe',
  'object',
  'template',
  'svg',
  'math',
  'title',
  'textarea',
  'noscript',
]);
const ATTRIBUTES = new Set([
  'align',
  'class',
  'colspan',
  'disabled',
  'href',
  'open',
  'start',
  'type',
  'checked',
  'data-box',
]);
const ALERT = /^\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]\s*/;

const markdown = new MarkdownIt('default', { html: true, linkify: true, breaks: false });

/** A comment about as GitHub shows it: tables, folds, alerts, code, and task lists whose boxes have numbers. */
export function renderMarkdown(text: string, repository: string): string {
  const fragment = parseFragment(markdown.render(text));
  let boxes = 0;
  const clean = (node: DefaultTreeAdapterTypes.ParentNode) => {
    for (const child of [...node.childNodes]) {
      if (tree.isCommentNode(child)) tree.detachNode(child);
      else if (tree.isElementNode(child)) {
        if (DROPPED.has(child.tagName)) {
          tree.detachNode(child);
          continue;
        }
        clean(child);
        if (!SHOWN.has(child.tagName)) {
          for (const inner of [...child.childNodes]) {
            tree.detachNode(inner);
            tree.insertBefore(node, inner, child);
          }
          tree.detachNode(child);
          continue;
        }
        child.attrs = child.attrs.filter(
          ({ name, value }) => ATTRIBUTES.has(name) && (name !== 'href' || /^(?:https?:|#|\/)/i.test(value)),
        );
      }
    }
  };
  clean(fragment);
  for (const element of elementsOf(fragment)) {
    if (element.tagName === 'li') boxes += addBox(element, boxes) ? 1 : 0;
    if (element.tagName === 'blockquote') showAlert(element);
  }
  linkNumbers(fragment, repository);
  return serialize(fragment);
}

/** `#4` leads to the issue or pull request of that number. */
function linkNumbers(node: DefaultTreeAdapterTypes.ParentNode, repository: string): void {
  for (const child of [...node.childNodes]) {
    if (tree.isElementNode(child)) {
      if (!['a', 'code', 'pre'].includes(child.tagName)) linkNumbers(child, repository);
    } else if (tree.isTextNode(child)) {
      const parts = child.value.split(/(?<![\w&/])#(\d{1,6})\b/);
      if (parts.length === 1) continue;
      for (const [index, part] of parts.entries()) {
        if (index % 2 === 0) {
          tree.insertTextBefore(node, part, child);
          continue;
        }
        const href = { name: 'href', value: `${repository}/issues/${part}` };
        const link = tree.createElement('a', 'http://www.w3.org/1999/xhtml' as never, [href]);
        tree.insertText(link, `#${part}`);
        tree.insertBefore(node, link, child);
      }
      tree.detachNode(child);
    }
  }
}

function* elementsOf(node: DefaultTreeAdapterTypes.ParentNode): Generator<DefaultTreeAdapterTypes.Element> {
  for (const child of node.childNodes) {
    if (!tree.isElementNode(child)) continue;
    yield child;
    yield* elementsOf(child);
  }
}

/** The first text of an element, also within its first paragraph. */
function firstText(element: DefaultTreeAdapterTypes.Element): DefaultTreeAdapterTypes.TextNode | undefined {
  for (const child of element.childNodes) {
    if (tree.isTextNode(child)) {
      if (child.value.trim() !== '') return child;
    } else if (tree.isElementNode(child)) return child.tagName === 'p' ? firstText(child) : undefined;
  }
  return undefined;
}

function textOf(node: DefaultTreeAdapterTypes.ParentNode): string {
  return node.childNodes
    .map((child) => (tree.isTextNode(child) ? child.value : 'childNodes' in child ? textOf(child) : ''))
    .join('');
}

function addBox(item: DefaultTreeAdapterTypes.Element, number: number): boolean {
  const first = firstText(item);
  const found = first && /^\s*\[([ xX])\]\s+/.exec(first.value);
  if (!first?.parentNode || !found) return false;
  first.value = first.value.slice(found[0].length);
  const attrs = [
    { name: 'type', value: 'checkbox' },
    { name: 'data-box', value: String(number) },
    { name: 'aria-label', value: textOf(item).trim() },
    ...(found[1] === ' ' ? [] : [{ name: 'checked', value: '' }]),
  ];
  const box = tree.createElement('input', item.namespaceURI, attrs);
  tree.insertBefore(first.parentNode, box, first);
  item.attrs = [{ name: 'class', value: 'task' }];
  return true;
}

function showAlert(quote: DefaultTreeAdapterTypes.Element): void {
  const first = firstText(quote);
  const kind = first && ALERT.exec(first.value)?.[1];
  if (!first || !kind) return;
  first.value = first.value.replace(ALERT, '');
  quote.attrs = [{ name: 'class', value: `alert ${kind.toLowerCase()}` }];
}

/** The text with its n-th box ticked or emptied. Boxes in code do not count. */
export function tickBox(text: string, number: number, ticked: boolean): string {
  const lines = text.split('\n');
  let fence: string | undefined;
  let seen = 0;
  for (const [index, line] of lines.entries()) {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark && (fence === undefined || line.trim().startsWith(fence)))
      fence = fence === undefined ? mark : undefined;
    if (fence !== undefined || !/^\s*[-*+] \[[ xX]\] /.test(line)) continue;
    if (seen === number) lines[index] = line.replace(/\[[ xX]\]/, ticked ? '[x]' : '[ ]');
    seen += 1;
  }
  return lines.join('\n');
}
