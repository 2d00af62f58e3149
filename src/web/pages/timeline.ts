import { clock, clockSeconds, count, dateTime, minutes, money } from '../../comments/text/words.ts';
import type { RunSummary, Span } from '../../core/contracts/run-summary.ts';
import { type Html, html } from './html.ts';

const LEFT = 44;
const RIGHT = 884;
const TOP = 16;
const BOTTOM = 104;
const BLOCK = 120;
const BLOCK_HEIGHT = 26;
/** Below the turns: files, cost, and the time. */
const FILES_LINE = 162;
const COST_LINE = 178;
const AXIS = 188;
const MAX_TICKS = 6;
/** More would be narrower than their numbers. */
const SPANS_SHOWN = 60;
const LABEL_WIDTH = 60;
/** Where a label in the middle of its text still ends inside the picture. */
const LAST_LABEL = 880;

/** True time from left to right. A wait that is longer than all work is drawn as long as the work, and says how long it was. */
export function renderTimeline(summary: RunSummary, now: Date): Html | undefined {
  const spans = summary.spans.slice(-SPANS_SHOWN).map((span) => ({
    ...span,
    from: Date.parse(span.from),
    to: span.to === undefined ? now.getTime() : Date.parse(span.to),
    open: span.to === undefined,
  }));
  const [first] = spans;
  if (!first) return undefined;
  const scale = scaleOf(spans);
  const shown = spans.map((span) => ({
    ...span,
    x: scale(span.from),
    width: scale(span.to) - scale(span.from),
  }));
  const most = Math.max(0, ...summary.spans.map(({ total = 0 }) => total));
  const unit = summary.tests?.unit ?? 'checks';
  return html`<svg class="timeline" viewBox="0 0 900 214" role="img" aria-labelledby="timeline-title timeline-words">
<title id="timeline-title">Timeline of the run</title><desc id="timeline-words">${inWords(summary, unit)}</desc>
<defs><pattern id="hatch" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path d="M0 0V7" class="hatch"/></pattern></defs>
${most > 0 && renderGrid(most)}
${shown.map((span) => renderSpan(span, unit))}
${most > 0 && renderRates(shown, most, unit)}
${renderFigures(shown)}
${renderTicks(first.from, Math.max(...spans.map(({ to }) => to)), scale)}
</svg>`;
}

interface TimedSpan extends Omit<Span, 'from' | 'to'> {
  from: number;
  to: number;
  open: boolean;
}
interface ShownSpan extends TimedSpan {
  x: number;
  width: number;
}

/** From a time to its place, with long waits cut. */
function scaleOf(spans: readonly TimedSpan[]): (at: number) => number {
  const isWait = ({ kind }: TimedSpan) => kind === 'held' || kind === 'parked' || kind === 'rest';
  const worked = spans.filter((span) => !isWait(span)).reduce((sum, { from, to }) => sum + to - from, 0);
  const longest = Math.max(worked, 60_000);
  const cuts = spans
    .filter((span) => isWait(span) && span.to - span.from > longest)
    .map(({ from, to }) => ({ from, to, factor: longest / (to - from) }));
  const start = spans[0]?.from ?? 0;
  const drawn = (at: number) => {
    let length = at - start;
    for (const { from, to, factor } of cuts)
      if (at > from) length -= (Math.min(at, to) - from) * (1 - factor);
    return length;
  };
  const whole = Math.max(1, drawn(Math.max(...spans.map(({ to }) => to))));
  return (at) => LEFT + ((RIGHT - LEFT) * drawn(at)) / whole;
}

/** Files and cost of each turn that has room for them. The title of a turn says them, too. */
function renderFigures(spans: readonly ShownSpan[]): Html {
  const lines = [
    { name: 'files', y: FILES_LINE, say: ({ files }: ShownSpan) => files },
    {
      name: 'cost',
      y: COST_LINE,
      say: ({ cost_usd }: ShownSpan) => (cost_usd === undefined ? undefined : money(cost_usd)),
    },
  ];
  return html`${lines.map(({ name, y, say }) => {
    const told = spans.flatMap((span) => {
      const word = say(span);
      return word === undefined || span.width < String(word).length * 8 ? [] : [{ span, word }];
    });
    return (
      told.length > 0 &&
      html`<text class="axis" x="${LEFT - 8}" y="${y}" text-anchor="end">${name}</text>${told.map(
        ({ span, word }) =>
          html`<text class="axis" x="${round(span.x + span.width / 2)}" y="${y}" text-anchor="middle">${word}</text>`,
      )}`
    );
  })}`;
}

function figuresInWords({ passed, total, files, cost_usd }: Omit<Span, 'from' | 'to'>, unit: string): string {
  return [
    passed !== undefined && `, ${passed} of ${total} ${unit} pass`,
    files !== undefined && `, ${count(files, 'file')} changed so far`,
    cost_usd !== undefined && `, ${money(cost_usd)}`,
  ]
    .filter(Boolean)
    .join('');
}

function renderSpan(span: ShownSpan, unit: string): Html {
  const { kind, x, width, turn, from, to, open, round: number } = span;
  const waited = `${kind} ${long(to - from)}`;
  const until = open ? 'until now' : `to ${clock(iso(to))} UTC`;
  const name =
    kind === 'turn'
      ? `Turn ${turn}`
      : {
          baseline: `${unit} before ${number === undefined ? 'any change' : `round ${number}`}`,
          held: 'Waiting, the job is kept',
          parked: 'Waiting, no job runs',
          rest: `Ready, then round ${number}`,
        }[kind];
  const begins = number === undefined ? '' : `round ${number}`;
  const word = {
    turn: String(turn),
    baseline: begins,
    rest: `ready ${long(to - from)}`,
    held: waited,
    parked: waited,
  }[kind];
  const room = kind === 'turn' ? 14 : LABEL_WIDTH + 20;
  const box = html`x="${round(x)}" y="${BLOCK}" width="${round(Math.max(1.5, width - 2))}" height="${BLOCK_HEIGHT}" rx="3"`;
  const shape =
    kind === 'parked' || kind === 'rest'
      ? html`<rect ${box} class="parked" fill="url(#hatch)"/>`
      : html`<rect ${box} class="${kind}"/>`;
  return html`<g><title>${name}, ${clock(iso(from))} ${until}${figuresInWords(span, unit)}</title>${shape}${
    word &&
    width >= room &&
    html`<text class="${kind === 'turn' ? 'word' : 'wait-word'}" x="${round(x + width / 2)}" y="${BLOCK + 17}" text-anchor="middle">${word}</text>`
  }</g>`;
}

function renderGrid(most: number): Html {
  const lines = [0, Math.round(most / 2), most].filter((value, index, all) => all.indexOf(value) === index);
  return html`${lines.map((value) => {
    const y = heightOf(value, most);
    return html`<path class="grid" d="M${LEFT} ${y}H${RIGHT}"/><text class="axis" x="${LEFT - 8}" y="${y + 4}" text-anchor="end">${value}</text>`;
  })}`;
}

function renderRates(spans: readonly ShownSpan[], most: number, unit: string): Html {
  const points = spans.flatMap(({ passed, total, x, width, to }) =>
    passed === undefined || total === undefined
      ? []
      : [
          {
            x: round(x + width),
            y: heightOf(passed, most),
            text: `${clock(iso(to))} UTC: ${passed} of ${total} ${unit} pass`,
          },
        ],
  );
  const path = points.map(({ x, y }, index) => (index === 0 ? `M${x} ${y}` : `H${x}V${y}`)).join('');
  return html`<path class="rate" d="${path}"/>${points.map(({ x, y, text }) => html`<circle class="dot" cx="${x}" cy="${y}" r="3"><title>${text}</title></circle>`)}`;
}

function renderTicks(from: number, to: number, scale: (at: number) => number): Html {
  const seconds = [10, 30].map((step) => step * 1_000);
  const whole = [1, 2, 5, 10, 15, 30, 60, 120, 360, 720, 1_440, 10_080].map((step) => step * 60_000);
  const steps = [...seconds, ...whole];
  const step = steps.find((size) => (to - from) / size <= MAX_TICKS) ?? to - from + 1;
  const say = step < 60_000 ? clockSeconds : clock;
  const ticks: Html[] = [];
  let last = Number.NEGATIVE_INFINITY;
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) {
    const x = round(scale(at));
    if (x - last < LABEL_WIDTH) continue;
    last = x;
    ticks.push(
      html`<path class="grid" d="M${x} ${AXIS}v5"/><text class="axis" x="${Math.min(x, LAST_LABEL)}" y="${AXIS + 18}" text-anchor="middle">${say(iso(at))}</text>`,
    );
  }
  return html`${ticks}`;
}

/** The same in words, for people who do not see the picture. */
function inWords({ spans, requested_at }: RunSummary, unit: string): string {
  const turns = spans.filter(({ kind }) => kind === 'turn');
  const scores = spans.flatMap(({ passed, total }) => (total === undefined ? [] : [`${passed} of ${total}`]));
  const waits = spans.filter(({ kind }) => kind === 'held' || kind === 'parked');
  const rounds = spans.filter(({ kind }) => kind === 'rest').length;
  const files = turns.findLast((turn) => turn.files !== undefined)?.files;
  const costs = turns.flatMap(({ cost_usd }) => (cost_usd === undefined ? [] : [money(cost_usd)]));
  return [
    `Requested ${dateTime(requested_at)}.`,
    `${count(turns.length, 'turn')}.`,
    scores.length > 0 && `Passing ${unit}: ${scores.join(', ')}.`,
    files !== undefined && `${count(files, 'file')} changed.`,
    costs.length > 0 && `Cost by turn: ${costs.join(', ')}.`,
    rounds > 0 && `${count(rounds, 'more round')}.`,
    waits.length > 0 && `${count(waits.length, 'wait')} for a person.`,
    'The table of turns says the same.',
  ]
    .filter(Boolean)
    .join(' ');
}

const iso = (ms: number) => new Date(ms).toISOString();
const round = (value: number) => Math.round(value * 10) / 10;
const heightOf = (value: number, most: number) => round(BOTTOM - ((BOTTOM - TOP) * value) / most);

function long(ms: number): string {
  if (ms < 60_000) return `${Math.round(ms / 1_000)} s`;
  const whole = minutes(ms);
  if (whole < 120) return `${whole} min`;
  return whole < 2_880 ? `${Math.floor(whole / 60)} h` : `${Math.floor(whole / 1_440)} days`;
}
