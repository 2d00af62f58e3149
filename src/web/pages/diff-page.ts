import { count } from '../../comments/text/words.ts';
import type { Escalation } from '../../core/contracts/escalation.ts';
import type { RunState } from '../../core/contracts/run-state.ts';
import type { RunTarget } from '../../core/ports/run-target.ts';
import { type Html, html } from './html.ts';
import { renderProposedFile } from './parts.ts';

interface DiffView {
  base: string;
  state: RunState;
  target: RunTarget;
  /** The open question, with its diffs. */
  pending?: Escalation;
}

/** R-8: the whole change that an approval is about, where comment and panel show its beginning. */
export function renderDiffPage({ base, state, target, pending }: DiffView): { title: string; body: Html } {
  const proposed = pending?.triggers.flatMap(({ evidence }) => evidence.proposed ?? []) ?? [];
  const title =
    proposed.length > 0 ? `${count(proposed.length, 'file')} to approve` : 'Nothing is to be approved now';
  return {
    title: `${title} · ${target.repo} #${target.issue}`,
    body: html`<div class="stack"><p class="small"><a href="${base}/runs">Runs</a> / <a href="${base}/runs/${state.run}">${target.owner}/${target.repo} #${target.issue}</a></p>
<h1>${title}</h1>
${proposed.length === 0 && html`<p>The question was answered, or it is about something else.</p>`}
${proposed.map((write, index) => renderProposedFile(write, index))}
<p><a class="button main-button" href="${base}/runs/${state.run}">Answer on the run's page</a></p></div>`,
  };
}
