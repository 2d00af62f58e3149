/** Names without escapes. A server could undo an escape after the path was judged, so a path with one is refused. */
const PLAIN_PATH = /^(?:\/[A-Za-z0-9_~:@.-]+)+$/;
const DOTS = /\/\.+(?:\/|$)/;

/**
 * True if the target of a request is one of the paths below the upstream's own. A path that ends with `/` stands for everything
 * below it.
 */
export function isAllowedPath(target: string, base: string, paths: readonly string[]): boolean {
  const [path = ''] = target.split('?', 1);
  if (!PLAIN_PATH.test(path) || DOTS.test(path) || !path.startsWith(base)) return false;
  const below = path.slice(base.length);
  return paths.some((allowed) => (allowed.endsWith('/') ? below.startsWith(allowed) : below === allowed));
}
