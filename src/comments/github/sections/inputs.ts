import type { HelpInput } from '../../../core/contracts/agent/help-request.ts';
import type { CommentContext } from '../../../core/contracts/comment-context.ts';
import { type Escalation, missingInputs } from '../../../core/contracts/escalation.ts';
import type { RunState } from '../../../core/contracts/run-state.ts';
import { actionsSecretName } from '../../../core/variable-name.ts';
import { code, inlineText } from '../../text/harmless.ts';
import { link } from '../../text/markdown.ts';

/** Keys of the values given so far, for an open or a closed question. */
export function givenInputs(state: RunState, escalation: Escalation): ReadonlySet<string> {
  const given = escalation.id === state.pending ? state.given : (escalation.resolution?.inputs ?? {});
  return new Set(Object.keys(given).filter((key) => escalation.inputs.some((input) => input.key === key)));
}

/** The requested values, each with the way to give it. Secrets are never given by comment (P-9). */
export function renderInputs(state: RunState, escalation: Escalation, where: CommentContext): string[] {
  if (escalation.inputs.length === 0) return [];
  const given = givenInputs(state, escalation);
  const parts = escalation.inputs.map((input, i) => {
    const name = `**${i + 1}. ${inlineText(input.label, 200)}**`;
    if (given.has(input.key)) return `${name} · ${code(input.key, 64)} · ✓ given`;
    if (input.secret) return `${name} · ${code(input.key, 64)} · missing · ${howToGiveSecret(input, where)}`;
    return `${name} · missing · reply with this line and the value at its end:\n\n\`\`\`\n/provide ${input.key}=\n\`\`\``;
  });
  const missing = missingInputs(
    escalation,
    Object.fromEntries([...given].map((key) => [key, { ref: '', length: 0 }])),
  );
  const all =
    escalation.inputs.length === 1 ? 'it is' : escalation.inputs.length === 2 ? 'both are' : 'all are';
  return missing.length > 0 ? [...parts, `The run continues when ${all} there.`] : parts;
}

/** A secret that is missing, in a reply to a command that could not give it. */
export function renderSecret(input: HelpInput, where: CommentContext): string {
  return `${code(input.key, 64)} · ${howToGiveSecret(input, where)}.`;
}

function howToGiveSecret(input: HelpInput, where: CommentContext): string {
  const form = where.links?.forms?.[input.key];
  const { env_secret } = where.capabilities;
  const name = actionsSecretName(input.key);
  if (env_secret)
    return `secret: never put it in a comment. Save it in the Actions secret ${code(env_secret, 64)} as the line ${code(`${name}=…`, 80)} (GitHub replaces the whole secret, so enter its other lines again), then reply \`/continue\``;
  const saved = `the Actions secret ${code(name, 64)}`;
  if (where.capabilities.form && form)
    return `secret: **${link('open the one-time form', form)}** or save it as ${saved}; never put it in a comment`;
  return `secret: never put it in a comment. Save it as ${saved}, then reply \`/continue\``;
}
