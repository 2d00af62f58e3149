import type { PartialProgress } from '../../../core/contracts/agent/player-report.ts';
import type { CommentContext } from '../../../core/contracts/comment-context.ts';
import type { EscalationContext } from '../../../core/contracts/escalation.ts';
import { fewerTests } from '../../text/figures.ts';
import type { Fold } from '../../text/fit-comment.ts';
import { code, inlineText } from '../../text/harmless.ts';
import { placeOf } from '../../text/places.ts';
import { clock, count, list } from '../../text/words.ts';
import { ACTION_HEAD, actionRow } from './evidence.ts';

/** Failing tests, and the progress that the agent reports (G-5). */
export function renderProgress(context: EscalationContext): string[] {
  const lines: string[] = [];
  const fewer = fewerTests(context.pass_rates);
  if (fewer) lines.push(`**${fewer}**`);
  if (context.failing.length > 0)
    lines.push(
      `**Still failing:** ${list(
        context.failing.map((name) => code(name, 100)),
        5,
      )}.`,
    );
  const progress = progressParts(context.progress).map((part) => inlineText(part, 300));
  if (progress.length > 0) lines.push(`**Progress, as the agent reports it:** ${progress.join('; ')}`);
  return lines;
}

/** In the agent's words, not escaped yet. */
export function progressParts(progress: PartialProgress | undefined): string[] {
  if (!progress) return [];
  const { stage, details, phases_completed, phases_total } = progress;
  const phases =
    phases_completed !== undefined && phases_total
      ? `${phases_completed} of ${count(phases_total, 'phase')}`
      : '';
  return [phases, stage ?? '', details ?? ''].filter((part) => part !== '');
}

/** G-5, E-9: last output in brief, last errors, recent actions. */
export function contextFold(context: EscalationContext, where: CommentContext): Fold | undefined {
  const { last_output, errors, recent_actions } = context;
  const content: Fold['content'] = [];
  if (last_output) {
    const result = inlineText(last_output.result, 160);
    content.push(`Last output, ${clock(last_output.at)} UTC: ${code(last_output.command, 120)} ${result}`);
    if (last_output.tail.trim()) content.push({ raw: last_output.tail });
  }
  if (errors.length > 0) {
    const rows = errors.map(({ turn, error }) => [
      String(turn),
      placeOf(error, where),
      code(error.message, 200),
    ]);
    content.push({ head: ['Turn', 'Where', 'Error'], rows });
  }
  if (recent_actions.length > 0) content.push({ head: ACTION_HEAD, rows: recent_actions.map(actionRow) });
  if (content.length === 0) return undefined;
  const names = [
    last_output && 'Last output',
    errors.length === 1 ? 'last error' : errors.length > 1 && `last ${errors.length} errors`,
    recent_actions.length > 0 && `last ${count(recent_actions.length, 'action')}`,
  ].filter((name) => typeof name === 'string');
  const summary = list(names);
  return { summary: summary.charAt(0).toUpperCase() + summary.slice(1), content };
}
