import type { Ownership } from './ownership.ts';

interface App {
  appId: number;
  /** The App's name in its bot's login. Undefined until GitHub has told it. */
  readonly slug?: string;
}

/**
 * An App has a bot of its own. GitHub names the App also where a person acted through it, so the author must be the App's own
 * bot.
 */
export function createBotOwnership(app: App): Ownership {
  return {
    isOurs({ author, author_type, app_id }) {
      if (author_type !== 'Bot') return false;
      if (app.slug !== undefined) return author === `${app.slug}[bot]`;
      return app_id === app.appId;
    },
    didWe: ({ app_id }) => app_id === app.appId,
    sign: (body) => body,
  };
}
