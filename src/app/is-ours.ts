import type { AppDependencies } from './dependencies.ts';

interface Written {
  author: string;
  author_type: string;
  app_id?: number;
}

/**
 * Whether this App may have written the comment. It counts only for a comment whose id is not recorded yet, because GitHub names
 * the App also where a person acted through it: the author must be the App's own bot.
 */
export function isOurs({ settings }: Pick<AppDependencies, 'settings'>, comment: Written): boolean {
  if (comment.author_type !== 'Bot') return false;
  if (settings.slug !== undefined) return comment.author === `${settings.slug}[bot]`;
  return comment.app_id === settings.appId;
}
