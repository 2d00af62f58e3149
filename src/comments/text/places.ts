import type { CommentContext } from '../../core/contracts/comment-context.ts';
import type { ErrorSighting } from '../../core/contracts/verification.ts';
import { code } from './harmless.ts';
import { link } from './markdown.ts';

const PLAIN_PATH = /^[\w@+.-][\w@+./-]*$/;

export function placeOf(error: ErrorSighting, where: CommentContext): string {
  return error.file ? renderPlace(error.line ? `${error.file}:${error.line}` : error.file, where) : '';
}

/** `path:line`, linked to the commit it was seen at when it is a plain path inside the repository. */
export function renderPlace(place: string, where: CommentContext): string {
  const shown = code(place, 120);
  const [, path = '', line] = /^(.*?)(?::(\d+))?(?::\d+)?$/.exec(place) ?? [];
  const files = where.links?.files;
  if (!files || !PLAIN_PATH.test(path) || path.split('/').includes('..')) return shown;
  return link(shown, `${files}${path}${line ? `#L${line}` : ''}`);
}

/** Names where the rest of a shortened text can be read. */
export function restOf(where: CommentContext): string {
  const page = where.links?.run_page;
  return page ? `on the ${link('run page', page)}` : "in the run's record";
}
