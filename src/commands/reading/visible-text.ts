import { removeInvisible } from './invisible-characters.ts';
import { renderHtml } from './render-html.ts';
import { type Walked, walkHtml } from './walk-html.ts';

/**
 * The text that readers on GitHub see, written as markdown again. It is made from what is rendered and not by removing
 * what is hidden, so that a way to hide text that nobody thought of does not reach an agent.
 */
export function readVisibleText(source: string): Walked | { problem: string } {
  const { text, removed } = removeInvisible(source.replace(/\r\n?/g, '\n'));
  const rendered = renderHtml(text);
  if ('problem' in rendered) return rendered;
  const walked = walkHtml(rendered.html);
  const { parts, characters } = walked.hidden;
  return { ...walked, hidden: { parts: parts + rendered.hidden, characters: characters + removed } };
}
