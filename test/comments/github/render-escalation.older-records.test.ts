import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { renderEscalation } from '../../../src/comments/github/render-escalation.ts';
import { renderPanel } from '../../../src/comments/terminal/render-panel.ts';
import type { Escalation } from '../../../src/core/contracts/escalation.ts';
import type { RunState } from '../../../src/core/contracts/run-state.ts';
import { WHERE } from '../story.ts';

/** Questions that earlier code has asked: their records have neither hint nor category, their triggers no names and figures. */
const folder = join(import.meta.dirname, '../../fixtures/journals');
/** So many were frozen before triggers had names and figures. */
const OLDER = 25;
const ASKED = readdirSync(folder)
  .filter((file) => file.endsWith('.state.json'))
  .flatMap((file) => {
    const state: RunState = JSON.parse(readFileSync(join(folder, file), 'utf8'));
    return state.escalations.map((escalation) => ({ file, id: escalation.id, state, escalation }));
  })
  // A journal that is frozen today, for a guard that is new, has records of today.
  .filter(({ escalation: { hint, triggers } }) => !hint && !triggers.some(isOfToday));

describe('E-17: a question of an older version is shown', () => {
  it('of which some are frozen', () => {
    expect(ASKED.length).toBeGreaterThanOrEqual(OLDER);
  });

  it.each(ASKED)('$file, $id', ({ state, escalation }) => {
    const comment = renderEscalation(state, escalation, WHERE);
    const panel = renderPanel(state, escalation, {});
    for (const { id } of escalation.options) expect(comment).toContain(`id=${escalation.id}.${id} -->`);
    expect(comment).toMatch(/`\/guide <what to do differently>`|\*\*Or tick one:\*\*/);
    for (const text of [comment, panel]) {
      expect(text).not.toMatch(/\b(?:undefined|null|NaN)\b/);
      for (const figure of figuresOf(escalation)) expect(text).toContain(figure);
    }
  });
});

function isOfToday({ shown, run_limit }: Escalation['triggers'][number]): boolean {
  return shown !== undefined || run_limit !== undefined;
}

/** Beside its limit, as far as it has one. */
function figuresOf({ triggers }: Escalation): string[] {
  return triggers.flatMap(({ observed, threshold }) =>
    threshold === null ? [] : `${observed}/${threshold}`,
  );
}
