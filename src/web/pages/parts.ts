import { cutText } from '../../comments/text/clean-text.ts';
import { minutes } from '../../comments/text/words.ts';
import type { ProposedWrite } from '../../core/contracts/guard.ts';
import type { RunSummary } from '../../core/contracts/run-summary.ts';
import type { ListedRun } from '../../core/ports/run-log.ts';
import { type Html, html } from './html.ts';

/** `8 min`, `3 h`, `2 days` */
export function age(ms: number): string {
  const whole = minutes(ms);
  if (whole < 120) return `${whole} min`;
  return whole < 2_880 ? `${Math.floor(whole / 60)} h` : `${Math.floor(whole / 1_440)} days`;
}

export function runName({ run, target }: ListedRun, base: string): Html {
  return html`<a href="${base}/runs/${run}">${target.owner}/${target.repo} #${target.issue}</a>`;
}

export function pullLink({ target, pull }: ListedRun, webUrl: string): Html | undefined {
  if (pull === undefined) return undefined;
  return html`<a class="small" href="${webUrl}/${target.owner}/${target.repo}/pull/${pull}">pull request #${pull}</a>`;
}

export function testsOf({ tests }: RunSummary): string {
  return tests ? ` · ${tests.unit} ${tests.passed}/${tests.total}` : '';
}

const ICONS = {
  pause: 'M2 1h3v10H2zM7 1h3v10H7z',
  play: 'M2 1l9 5-9 5z',
  tick: 'M4.5 10.5 1 7l1.5-1.5 2 2L9.7 2l1.6 1.4z',
  cross: 'M2.5 1 6 4.5 9.5 1 11 2.5 7.5 6 11 9.5 9.5 11 6 7.5 2.5 11 1 9.5 4.5 6 1 2.5z',
};

/** Beside words that say the same. Drawn, because not every font has the signs. */
export function icon(name: keyof typeof ICONS): Html {
  return html`<svg class="icon" viewBox="0 0 12 12" aria-hidden="true"><path d="${ICONS[name]}"/></svg>`;
}

export function figureList(figures: { value: string; of: string }[]): Html {
  return html`<ul class="figures">${figures.map(({ value, of }) => html`<li><b>${value}</b><span class="small dim">${of}</span></li>`)}</ul>`;
}

/** A table that scrolls in its own box. Columns whose head starts with `#` hold numbers. */
export function table(
  label: string,
  head: readonly string[],
  rows: readonly (readonly (string | Html)[])[],
): Html {
  const isNumber = head.map((name) => name.startsWith('#'));
  const cellClass = (index: number) => isNumber[index] && html` class="number"`;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table><thead><tr>${head.map(
    (name, index) => html`<th scope="col"${cellClass(index)}>${name.replace(/^#/, '')}</th>`,
  )}</tr></thead><tbody>${rows.map(
    (row) => html`<tr>${row.map((cell, index) => html`<td${cellClass(index)}>${cell}</td>`)}</tr>`,
  )}</tbody></table></div>`;
}

/** A file that an approval is about. `chars`: how much of its diff is shown. */
export function renderProposedFile(write: ProposedWrite, index: number, chars?: number): Html {
  const { path, diff, reasons, why, finished, held } = write;
  const none = finished
    ? 'The change could not be read.'
    : held
      ? 'The agent did not say what it will write.'
      : 'The change was reverted and saved; it is not shown here.';
  return html`<details id="proposed-${index}" open><summary><code>${path}</code> <span class="small dim">${(reasons ?? [why]).join(', ').replaceAll('_', ' ')}</span></summary>${
    diff ? diffBlock(`Change of ${path}`, diff, chars) : html`<p class="small dim">${none}</p>`
  }</details>`;
}

/** Text of our own in which names are in backquotes, as in comments. */
export function withCode(text: string): Html {
  return html`${text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}

const DIFF_CHARS = 200_000;

/** A diff with its added and removed lines marked. */
export function diffBlock(label: string, diff: string, chars = DIFF_CHARS): Html {
  const lines = cutText(diff, chars).split('\n');
  return html`<pre tabindex="0" aria-label="${label}">${lines.map((line) => {
    const tone = line.startsWith('+') ? 'add' : line.startsWith('-') ? 'cut' : undefined;
    return tone ? html`<span class="${tone}">${line}</span>\n` : `${line}\n`;
  })}</pre>`;
}
