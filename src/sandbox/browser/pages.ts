import { type Html, html } from '../../web/pages/html.ts';
import { diffBlock, table } from '../../web/pages/parts.ts';
import { renderMarkdown } from './markdown.ts';
import { cleaned, type SitePage } from './page.ts';

export interface Issue {
  number: number;
  title: string;
  body: string | null;
  state: string;
  user: { login: string };
  created_at: string;
  labels: { name: string }[];
  pull_request?: unknown;
}

export interface Comment {
  id: number;
  body: string;
  user: { login: string };
  created_at: string;
}

export interface Pull extends Issue {
  draft: boolean;
  merged_at: string | null;
  head: { ref: string; sha: string };
}

export interface Job {
  id: number;
  name: string;
  status: string;
  conclusion: string | null;
  log: string;
}

const TRIGGER = 'autobuild';

export function issuesPage(
  repository: string,
  issues: readonly Issue[],
  kind: 'Issues' | 'Pull requests',
): SitePage {
  const path = kind === 'Issues' ? 'issues' : 'pull';
  return {
    title: kind,
    body: html`<div class="stack"><h1>${repository.slice(1)} · ${kind}</h1>
${kind === 'Issues' && html`<p>Open one of these and add the label <span class="label autobuild">autobuild</span>: an agent builds it, and asks when it is stuck.</p>`}
<ul class="runs">${issues.map(
      (issue) =>
        html`<li><div><a href="${repository}/${path}/${issue.number}">${issue.title}</a> ${issue.labels.map(label)}<div class="small dim">#${issue.number} · ${issue.state} · by ${issue.user.login}</div></div></li>`,
    )}${issues.length === 0 && html`<li>None yet.</li>`}</ul>
${kind === 'Issues' && html`<form class="card stack" method="post" action="${repository}/issues"><h2>New issue</h2><label class="field">Title<input class="text" name="title" required maxlength="200"></label><label class="field">Text<textarea name="body" rows="4"></textarea></label><button>Open issue</button></form>`}</div>`,
  };
}

const label = ({ name }: { name: string }) =>
  html`<span class="label ${name.startsWith(TRIGGER) && 'autobuild'}">${name}</span> `;

export function threadPage(repository: string, issue: Issue, comments: readonly Comment[]): SitePage {
  const here = `${repository}/issues/${issue.number}`;
  const isLabelled = issue.labels.some(({ name }) => name === TRIGGER);
  return {
    title: `${issue.title} · Issue #${issue.number}`,
    body: html`<div class="stack"><h1>${issue.title} <span class="dim">#${issue.number}</span></h1><p class="row">${issue.labels.map(label)}<span class="small dim">${issue.state}</span>
<form method="post" action="${here}/labels">${
      isLabelled
        ? html`<input type="hidden" name="remove" value="${TRIGGER}"><button>Remove label autobuild</button>`
        : html`<input type="hidden" name="add" value="${TRIGGER}"><button class="main-button">Add label autobuild</button>`
    }</form></p>
${renderComment(repository, undefined, issue.user.login, issue.created_at, issue.body ?? '')}${comments.map(
  (comment) =>
    renderComment(
      repository,
      { action: `${here}/comments/${comment.id}`, id: comment.id },
      comment.user.login,
      comment.created_at,
      comment.body,
    ),
)}
${replyForm(here)}</div>`,
  };
}

/** Boxes are buttons of a form, so that they work without scripts as well. */
function renderComment(
  repository: string,
  edit: { action: string; id: number } | undefined,
  by: string,
  at: string,
  body: string,
): Html {
  const text = renderMarkdown(body, repository);
  const boxes = [...text.matchAll(/data-box="(\d+)"/g)].map(([, number]) => number ?? '');
  const isBot = by.endsWith('[bot]');
  return html`<article class="comment ${isBot && 'bot'}" id="${edit ? `issuecomment-${edit.id}` : 'description'}"><header><b>${by}</b><span>${at.replace('T', ' ').slice(0, 16)} UTC</span></header>${
    edit && boxes.length > 0
      ? html`<form method="post" action="${edit.action}"><div class="text">${cleaned(text)}</div><details class="text"><summary class="small dim">Tick without JavaScript</summary><p class="row">${boxes.map(
          (number) => html`<button name="box" value="${number}">Box ${Number(number) + 1}</button>`,
        )}</p></details></form>`
      : html`<div class="text">${cleaned(text)}</div>`
  }</article>`;
}

function replyForm(here: string): Html {
  return html`<form class="card stack" method="post" action="${here}/comments"><label class="field" for="reply">Reply</label><textarea id="reply" name="body" rows="4" required placeholder="/provide key=value, /continue, /guide …"></textarea><button class="main-button">Comment</button></form>`;
}

export interface Remark {
  body: string;
  path: string;
  line: number | null;
  user: { login: string };
}

interface PullView {
  pull: Pull;
  /** Comments on lines of the change. */
  remarks: readonly Remark[];
  comments: readonly Comment[];
  files: readonly { filename: string; status: string; patch?: string }[];
  reviews: readonly { user: { login: string }; state: string; body: string }[];
  checks: readonly { name: string; status: string; conclusion: string | null }[];
}

export function pullPage(
  repository: string,
  { pull, comments, files, reviews, checks, remarks }: PullView,
): SitePage {
  const here = `${repository}/pull/${pull.number}`;
  const state = pull.merged_at
    ? 'merged'
    : pull.state === 'closed'
      ? 'closed'
      : pull.draft
        ? 'draft'
        : 'open';
  return {
    title: `${pull.title} · Pull request #${pull.number}`,
    body: html`<div class="stack"><h1>${pull.title} <span class="dim">#${pull.number}</span></h1><p class="row"><span class="tag ${state === 'merged' ? 'good' : 'wait'}">${state}</span><code>${pull.head.ref}</code></p>
${renderComment(repository, { action: `${here}/description`, id: pull.number }, pull.user.login, pull.created_at, pull.body ?? '')}
${comments.map((comment) => renderComment(repository, { action: `${repository}/issues/${pull.number}/comments/${comment.id}`, id: comment.id }, comment.user.login, comment.created_at, comment.body))}
${reviews.map(({ user, state: verdict, body }) => html`<article class="comment"><header><b>${user.login}</b><span>${verdict.toLowerCase().replaceAll('_', ' ')}</span></header><div class="text">${cleaned(renderMarkdown(body, repository))}</div></article>`)}
<section class="card stack"><h2>Checks</h2>${
      checks.length === 0
        ? html`<p class="dim">None ran for this commit.</p>`
        : table(
            'Checks',
            ['Check', 'Result'],
            checks.map(({ name, status, conclusion }) => [name, conclusion ?? status]),
          )
    }</section>
<section class="card stack" id="files"><h2>${files.length} changed ${files.length === 1 ? 'file' : 'files'}</h2>${files.map(
      ({ filename, status, patch }) =>
        html`<details open><summary><code>${filename}</code> <span class="small dim">${status}</span></summary>${diffBlock(`Change of ${filename}`, patch ?? '')}${remarks
          .filter(({ path }) => path === filename)
          .map(
            ({ user, line, body }) =>
              html`<p class="remark"><b>${user.login}</b> on line ${line}: ${body}</p>`,
          )}${state !== 'merged' && state !== 'closed' && remarkForm(here, filename, patch ?? '')}</details>`,
    )}</section>
${
  state !== 'merged' &&
  state !== 'closed' &&
  html`<form class="card row" method="post" action="${here}/fate"><button class="main-button" name="fate" value="merge"${state === 'draft' && html` disabled`}>Merge pull request</button><button name="fate" value="close">Close pull request</button>${state === 'draft' && html`<span class="small dim">A draft cannot be merged.</span>`}</form>
<form class="card stack" method="post" action="${here}/reviews"><h2>Review</h2><textarea name="body" rows="3" aria-label="Review text"></textarea><div class="row"><button name="event" value="COMMENT">Comment</button><button name="event" value="APPROVE">Approve</button><button name="event" value="REQUEST_CHANGES">Request changes</button></div></form>`
}
${replyForm(`${repository}/issues/${pull.number}`)}</div>`,
  };
}

const LINES_OFFERED = 300;

/** A remark on one line, as GitHub offers it beside each. */
function remarkForm(here: string, path: string, patch: string): Html {
  return html`<details><summary class="small dim">Comment on a line</summary><form class="stack" method="post" action="${here}/remarks"><input type="hidden" name="path" value="${path}"><label class="field">Line<select name="line">${linesOf(
    patch,
  )
    .slice(0, LINES_OFFERED)
    .map(
      ({ line, text }) => html`<option value="${line}">${line}: ${text.slice(0, 80)}</option>`,
    )}</select></label><label class="field">Text<textarea name="body" rows="2" required></textarea></label><button>Comment on the line</button></form></details>`;
}

/** The lines that the file has after the change, as far as the patch shows them. */
export function linesOf(patch: string): { line: number; text: string }[] {
  const lines: { line: number; text: string }[] = [];
  let next = 0;
  for (const text of patch.split('\n')) {
    const hunk = /^@@ -\d+(?:,\d+)? \+(\d+)/.exec(text)?.[1];
    if (hunk !== undefined) next = Number(hunk);
    else if (/^[+ ]/.test(text)) {
      lines.push({ line: next, text: text.slice(1) });
      next += 1;
    }
  }
  return lines;
}

export function jobsPage(repository: string, jobs: readonly Job[]): SitePage {
  return {
    title: 'Jobs',
    body: html`<div class="stack"><h1>Jobs</h1>${
      jobs.length === 0
        ? html`<p class="card">No job has run yet.</p>`
        : table(
            'Jobs',
            ['Job', 'State'],
            jobs
              .toReversed()
              .map(({ id, name, status, conclusion }) => [
                html`<a href="${repository}/actions/runs/${id}">${name}</a>`,
                conclusion ?? status,
              ]),
          )
    }</div>`,
  };
}

export function jobPage(repository: string, { id, name, status, conclusion, log }: Job): SitePage {
  return {
    title: `Job ${id}`,
    body: html`<div class="stack"><p class="small"><a href="${repository}/actions">Jobs</a></p><h1>${name}</h1><p><span class="tag ${conclusion === 'success' ? 'good' : 'wait'}">${conclusion ?? status}</span></p><pre class="log" tabindex="0" aria-label="Log">${log || 'Nothing was logged yet.'}</pre></div>`,
  };
}
