import { ADDED_AS_SECRET, ADDED_AS_SECRETS } from '../../../core/contracts/actions-secret.ts';
import type { CommentContext } from '../../../core/contracts/comment-context.ts';
import type { Escalation } from '../../../core/contracts/escalation.ts';
import { code, inlineText } from '../../text/harmless.ts';
import { marker } from '../../text/markdown.ts';

/** Ids of the boxes. A tick is looked up in the record by its id, so a reworded or copied box has no effect (C-3). */
function itemId(escalation: Escalation, option: { id: string }): string {
  return `${escalation.id}.${option.id}`;
}

/** Every option is a box with its exact command, which is never cut. */
export function renderOptions(escalation: Escalation, where: Pick<CommentContext, 'capabilities'>): string {
  return escalation.options
    .map((option) => {
      const label = `**${renderLabel(option.label, where, 140)}**`;
      const description = option.description ? `: ${inlineText(option.description, 160)}` : '';
      const box = marker('option', { id: itemId(escalation, option) });
      return `- [ ] ${box} ${label}${description} ${code(option.command, 1_000)}`;
    })
    .join('\n');
}

/** N-4: where one secret has all values, the box names it. */
export function renderLabel(
  label: string,
  { capabilities: { env_secret } }: Pick<CommentContext, 'capabilities'>,
  most: number,
): string {
  const isAdded = label === ADDED_AS_SECRETS || label === ADDED_AS_SECRET;
  if (!isAdded || !env_secret) return inlineText(label, most);
  return `I added ${label === ADDED_AS_SECRET ? 'it' : 'them'} to the Actions secret ${code(env_secret, 64)}`;
}
