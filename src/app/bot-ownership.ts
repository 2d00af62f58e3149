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
  const isOurBot = (login: string | undefined, type: string | undefined, app_id: number | undefined) => {
    if (type !== 'Bot') return false;
    return app.slug === undefined ? app_id === app.appId : login === `${app.slug}[bot]`;
  };
  return {
    isOurs: ({ author, author_type, app_id }) => isOurBot(author, author_type, app_id),
    didWe: ({ actor, actor_type, app_id }) => isOurBot(actor, actor_type, app_id),
    isOtherBot: (login) => app.slug !== undefined && login !== `${app.slug}[bot]`,
    sign: (body) => body,
  };
}
