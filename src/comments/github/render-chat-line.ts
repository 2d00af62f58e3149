import type { CommentContext } from '../../core/contracts/comment-context.ts';
import { cleanLine } from '../text/clean-text.ts';

const HEADLINE = 200;
const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** A message for Slack and compatible chats: repository and issue, headline, link. */
export function renderChatLine(
  place: { owner: string; repo: string; issue: number },
  /** Must not contain secrets, because after escaping they would not be recognised any more. */
  headline: string,
  { links }: Pick<CommentContext, 'links'>,
  what: 'waiting for you' | 'cancelled' = 'waiting for you',
): string {
  const shown = harmlessInChat(cleanLine(headline, HEADLINE));
  const line = `${place.owner}/${place.repo}#${place.issue}: ${what}: ${shown}`;
  const way = links?.question ?? links?.status ?? links?.run_page;
  return way ? `${line}\n${way}` : line;
}

/** Slack reads `<…>` as links and mentions, other chats `@all` and `[text](address)`: https://docs.slack.dev/messaging/formatting-message-text */
function harmlessInChat(text: string): string {
  return text
    .replace(/[&<>]/g, (char) => ENTITIES[char] ?? char)
    .replace(/[@＠]/g, '$&\u200b')
    .replace(/:\/\//g, ':\u200b//')
    .replaceAll('](', '] (');
}
