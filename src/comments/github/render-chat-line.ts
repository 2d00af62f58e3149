import type { CommentContext } from '../../core/contracts/comment-context.ts';
import { cleanLine } from '../text/clean-text.ts';

const HEADLINE = 200;
const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** News for Slack and chats that read the same: where, the headline, and the way there. */
export function renderChatLine(
  place: { owner: string; repo: string; issue: number },
  /** Free of secrets: what is made harmless here would not be recognised as one any more. */
  headline: string,
  { links }: Pick<CommentContext, 'links'>,
  what: 'waiting for you' | 'cancelled' = 'waiting for you',
): string {
  const shown = harmlessInChat(cleanLine(headline, HEADLINE));
  const line = `${place.owner}/${place.repo}#${place.issue}: ${what}: ${shown}`;
  const way = links?.question ?? links?.status ?? links?.run_page;
  return way ? `${line}\n${way}` : line;
}

/** Slack reads `<…>` as links and calls, others `@all` and `[text](address)`: https://docs.slack.dev/messaging/formatting-message-text */
function harmlessInChat(text: string): string {
  return text
    .replace(/[&<>]/g, (char) => ENTITIES[char] ?? char)
    .replace(/[@＠]/g, '$&\u200b')
    .replace(/:\/\//g, ':\u200b//')
    .replaceAll('](', '] (');
}
