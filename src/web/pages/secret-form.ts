import { cleanText } from '../../comments/text/clean-text.ts';
import { dateTime } from '../../comments/text/words.ts';
import type { Escalation } from '../../core/contracts/escalation.ts';
import type { RunState } from '../../core/contracts/run-state.ts';
import type { RunTarget } from '../../core/ports/run-target.ts';
import { csrfField, type Page, type Viewer } from './document.ts';
import { type Html, html } from './html.ts';

/** P-9: each opening makes a form that is good for one use within this time. Opening it uses nothing up. */
export const FORM_TTL_MS = 15 * 60_000;

interface FormView {
  base: string;
  state: RunState;
  target: RunTarget;
  pending: Escalation;
  input: Escalation['inputs'][number];
  viewer: Viewer;
  /** Signed: it names run, question, key and end of the time. */
  form: string;
  until: Date;
}

export function renderSecretForm({
  base,
  state,
  target,
  pending,
  input,
  viewer,
  form,
  until,
}: FormView): Page {
  return {
    title: `Give one secret: ${input.label}`,
    narrow: true,
    body: html`<form class="card stack" method="post" action="${base}/runs/${state.run}/secret/${input.key}" autocomplete="off">
${csrfField(viewer)}<input type="hidden" name="form" value="${form}">
<h1>Give one secret: ${input.label}</h1>
<p>For <a href="${base}/runs/${state.run}">${target.owner}/${target.repo} #${target.issue}</a>, ${state.task.title}. Asked ${dateTime(pending.created_at)}, in turn ${pending.context.turn}.</p>
${pending.what_i_need && html`<div><p class="small dim">The agent asks</p><blockquote>${cleanText(pending.what_i_need, 6_000)}</blockquote></div>`}
<div><label class="field" for="value">${input.label} <code class="dim">${input.key}</code></label><input class="text mono" id="value" name="value" type="password" autocomplete="off" required aria-describedby="value-hint"><p class="hint" id="value-hint">Not shown, not even to you. This form works once, until ${dateTime(until.toISOString())}.</p></div>
<div class="row"><button class="main-button">Give it</button><a class="button" href="${base}/runs/${state.run}">Back without giving it</a></div>
<ul class="small dim"><li><b>The agent can read it.</b> Give a test key with as few rights as possible, and revoke it after the run.</li><li>It is encrypted, used for this run only, and deleted when the run ends.</li><li>It is in no comment, no log, no file of the branch and no journal. The journal says that you gave it, and when.</li></ul></form>`,
  };
}

type FormEnd =
  | 'given'
  | 'already'
  | 'expired'
  | 'not_taken'
  | 'nothing_asked'
  | 'role_needed'
  | 'not_asked_for';

const ENDS: Record<FormEnd, { status: 200 | 403 | 404 | 410 | 422; title: string; words: string }> = {
  given: { status: 200, title: 'Given', words: 'The value is here. The run resumes when all values are.' },
  already: {
    status: 410,
    title: 'Given already',
    words: 'This form was used, or somebody else gave the value. Nothing was changed.',
  },
  expired: {
    status: 410,
    title: 'This form has expired',
    words: 'A form works for 15 minutes. Nothing was changed.',
  },
  not_taken: {
    status: 422,
    title: 'This value cannot be used',
    words: 'It is empty or too long. Nothing was changed, and the form still works.',
  },
  nothing_asked: {
    status: 410,
    title: 'Nothing is asked now',
    words: 'The question was answered, or the run has ended. Nothing was changed.',
  },
  role_needed: {
    status: 403,
    title: 'More access needed',
    words: 'You can read this run, and answers need more access. Nothing was changed.',
  },
  not_asked_for: {
    status: 404,
    title: 'No such value is asked for',
    words: 'The run asks for other values. Nothing was changed.',
  },
};

/** Every end of the form, each with the way from there. */
export function renderFormEnd(
  end: FormEnd,
  where: { base: string; run: string; key: string; detail?: string },
): Page {
  const { status, title, words } = ENDS[end];
  const again: Html | false =
    (end === 'expired' || end === 'not_taken') &&
    html`<p><a class="button main-button" href="${where.base}/runs/${where.run}/secret/${where.key}">Open a new form</a></p>`;
  return {
    ...{ title, status, narrow: true },
    body: html`<div class="card stack"><h1>${title}</h1><p>${where.detail ?? words}</p>${again}<p><a href="${where.base}/runs/${where.run}">See the run</a></p></div>`,
  };
}
