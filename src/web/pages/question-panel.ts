import { headlineOf, whyOf } from '../../comments/github/sections/question-parts.ts';
import { testsOf, turnLabel } from '../../comments/github/sections/turn-history.ts';
import { cleanLine, cleanText } from '../../comments/text/clean-text.ts';
import { counterOf, figuresOf, observedOf } from '../../comments/text/figures.ts';
import { count, dateTime, list } from '../../comments/text/words.ts';
import { type Escalation, missingInputs } from '../../core/contracts/escalation.ts';
import { asksForReview } from '../../core/contracts/guard.ts';
import type { RunState } from '../../core/contracts/run-state.ts';
import { csrfField, type Viewer } from './document.ts';
import { type Html, html } from './html.ts';
import { renderProposedFile, table, withCode } from './parts.ts';

interface PanelView {
  base: string;
  state: RunState;
  pending: Escalation;
  viewer: Viewer;
  /** Absent: the viewer may answer. */
  mayNot?: string;
  questionUrl?: string;
  /** The reason why the answer that was just sent changed nothing. */
  problem?: string;
}

const WORDS = 6_000;

/** P-6: the open question as one form: what was tried, what is needed, a field per value, and the options as buttons. */
export function renderQuestionPanel(view: PanelView): Html {
  const { base, state, pending, viewer, mayNot, problem } = view;
  const missing = missingInputs(pending, state.given);
  const content = html`<h2>${withCode(capitalised(headlineOf(state, pending)))}</h2>
${problem && html`<p class="bad" role="alert">${problem}</p>`}
${renderWhy(pending)}
${renderRemarks(pending)}
${renderTurnsTried(state, pending)}
${renderFiguresLine(pending)}
${renderProposed(view)}
${mayNot && html`<p class="dim">${mayNot}</p>`}`;
  const footer = html`<p class="small dim">Asked ${dateTime(pending.created_at)} · ${state.job_live ? 'the agent is paused, its work is saved' : 'no job runs while it waits'}${
    view.questionUrl && html` · <a href="${view.questionUrl}">the same question on the issue</a>`
  }</p>`;
  if (mayNot)
    return html`<section class="card panel stack" data-part="question" aria-label="Question">${content}${footer}</section>`;
  const hidden = html`${csrfField(viewer)}<input type="hidden" name="escalation" value="${pending.id}">`;
  return html`<section class="card panel stack" data-part="question" aria-label="Question">${content}
${
  missing.length > 0 &&
  html`<form class="stack" method="post" action="${base}/runs/${state.run}/answer" autocomplete="off">${hidden}
<h3>What's needed</h3>${missing.map(renderField)}
<div class="row"><button class="main-button" name="send" value="inputs">Provide &amp; Resume</button><span class="small dim">${
    missing.length > 1 ? 'You can give one now and the others later.' : 'The run resumes when it is here.'
  }</span></div></form>`
}
<form method="post" action="${base}/runs/${state.run}/answer">${hidden}<fieldset class="options"><legend class="small dim">${missing.length > 0 ? 'Or choose' : 'Choose one'}</legend>${pending.options.map(
    ({ label, description, command }) =>
      html`<button name="command" value="${command}"><b>${withCode(label)}</b><span>${withCode(description)}</span><code>${command}</code></button>`,
  )}</fieldset></form>
<form class="stack" method="post" action="${base}/runs/${state.run}/answer">${hidden}<label class="field" for="own-words">Or in your own words</label>
<textarea id="own-words" name="guide" rows="3" maxlength="8000"></textarea><p class="hint">Sent to the agent as <code>/guide</code>. Everybody who can read the issue sees it.</p><button>Send</button></form>
${footer}</section>`;
}

function renderField({ key, label, secret }: Escalation['inputs'][number]): Html {
  const hint = secret
    ? 'Secret. It is encrypted, never shown again, and deleted when the run ends. The agent can read it: give a test key with few rights.'
    : 'Not secret. Everybody who can read this run sees it.';
  return html`<div><label class="field" for="input-${key}">${label} <code class="dim">${key}</code></label><input class="text mono" id="input-${key}" name="input.${key}"${secret && html` type="password"`} autocomplete="off" spellcheck="false" aria-describedby="hint-${key}"><p class="hint" id="hint-${key}">${hint}</p></div>`;
}

/** The agent's words as text, never as markup. */
function renderWhy(pending: Escalation): Html {
  const review = pending.triggers.find(({ evidence }) => asksForReview(evidence))?.evidence;
  const { what_i_need, what_i_tried, findings, log_url } = pending;
  return html`${!what_i_need && !review && html`<p>${withCode(whyOf(pending))}</p>`}
${isWebAddress(log_url) && html`<p><a href="${log_url}">Log of the last job</a></p>`}
${review && html`<div><h3>Why the agent wants a decision</h3><blockquote>${cleanText(review.review_reason || 'It gave no reason.', WORDS)}</blockquote></div>`}
${what_i_need && html`<div><h3>What the agent needs</h3><blockquote>${cleanText(what_i_need, WORDS)}</blockquote></div>`}
${what_i_tried && html`<details id="tried" open><summary><b>What was tried</b></summary><blockquote>${cleanText(what_i_tried, WORDS)}</blockquote></details>`}
${findings && html`<div><h3>What the debug turn found</h3><blockquote>${cleanText(findings, WORDS)}</blockquote></div>`}`;
}

function isWebAddress(url: string | undefined): url is string {
  return url !== undefined && /^https?:\/\//.test(url);
}

/** V-3: a reviewer asked for it. */
function renderRemarks({ remarks = [] }: Escalation): Html | false {
  if (remarks.length === 0) return false;
  return html`<p>Reviewers commented here:</p><ul>${remarks.map(({ path, author, url }) => {
    const who = `remark by ${cleanLine(author, 60)}`;
    const linked = isWebAddress(url) ? html`<a href="${url}">${who}</a>` : who;
    return html`<li>${linked} on <code>${cleanLine(path, 160)}</code></li>`;
  })}</ul>`;
}

const TURNS_TRIED = 5;
const FAILING_SHOWN = 5;

/** The last turns and the failing tests, where the agent itself has not said what it tried. */
function renderTurnsTried({ turns }: RunState, { what_i_tried, context }: Escalation): Html | false {
  const tried = what_i_tried ? [] : turns.slice(-TURNS_TRIED);
  if (tried.length === 0 && context.failing.length === 0) return false;
  return html`${
    tried.length > 0 &&
    html`<details id="tried" open><summary><b>What was tried</b></summary><ul>${tried.map((turn) => {
      const tests = testsOf(turn);
      const words = cleanLine(turn.title ?? (turn.failed ? turn.exit : 'no title'), 200);
      return html`<li>Turn ${turnLabel(turn)}: ${words}${tests && html` <span class="small dim">${tests} pass</span>`}</li>`;
    })}</ul></details>`
  }${
    context.failing.length > 0 &&
    html`<p><b>Still failing:</b> ${list(
      context.failing.map((name) => cleanLine(name, 100)),
      FAILING_SHOWN,
    )}.</p>`
  }`;
}

const capitalised = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

function renderFiguresLine({ context, triggers }: Escalation): Html {
  const figures = figuresOf(context, triggers);
  return html`${table(
    'Figures at the stop',
    figures.map(({ name }) => name),
    [figures.map(({ value, tripped }) => (tripped ? html`<b>${value}</b>` : value))],
  )}${
    triggers.length > 1 &&
    table(
      'Limits reached',
      ['Limit reached', 'Measured'],
      triggers.map((trigger) => [
        counterOf(trigger),
        trigger.threshold === null ? 'yes' : observedOf(trigger),
      ]),
    )
  }`;
}

const FILES_SHOWN = 5;
const DIFF_SHOWN = 4_000;

/** R-8: an approval is about this content. */
function renderProposed({ base, state, pending }: PanelView): Html | false {
  const proposed = pending.triggers.flatMap(({ evidence }) => evidence.proposed ?? []);
  if (proposed.length === 0) return false;
  const more = proposed.length - FILES_SHOWN;
  const isCut = more > 0 || proposed.some(({ diff = '' }) => diff.length > DIFF_SHOWN);
  return html`<div class="stack"><h3>${count(proposed.length, 'file')} to approve</h3>${proposed
    .slice(0, FILES_SHOWN)
    .map((write, index) => renderProposedFile(write, index, DIFF_SHOWN))}${
    isCut &&
    html`<p><a href="${base}/runs/${state.run}/diff">The whole change${more > 0 && `, ${count(more, 'more file')}`}</a></p>`
  }</div>`;
}
