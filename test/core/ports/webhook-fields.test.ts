import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { WEBHOOK_EVENTS } from '../../../src/core/ports/webhook-events.ts';
import { keepFields, WEBHOOK_FIELDS } from '../../../src/core/ports/webhook-fields.ts';

test('R-1: fields that are missing or of another kind are left out', () => {
  const fields = { id: true, user: { login: true }, list: { id: true } } as const;
  const strange = { id: { id: 1 }, user: 'rosa', list: [{ id: 1, name: 'x' }, null, 'x', [7]], more: 1 };
  expect(keepFields(strange, fields)).toEqual({ user: 'rosa', list: [{ id: 1 }, {}, {}, {}] });
  expect(keepFields({ user: null }, fields)).toEqual({ user: null });
});

test('R-1: of what GitHub sends as examples, little is kept and the lists of people and links are not', () => {
  const events = createRequire(import.meta.url)('@octokit/webhooks-examples') as {
    name: string;
    examples: { action?: string }[];
  }[];
  const sizes = Object.entries(WEBHOOK_EVENTS).flatMap(([name, actions]) => {
    const examples = events.find((event) => event.name === name)?.examples ?? [];
    return examples
      .filter(({ action }) => (actions as readonly unknown[]).includes(action))
      .map((example) => {
        const kept = JSON.stringify(keepFields(example, WEBHOOK_FIELDS[name as keyof typeof WEBHOOK_FIELDS]));
        expect(kept).not.toContain('gravatar_id');
        return kept.length;
      });
  });
  expect(sizes.length).toBeGreaterThan(20);
  expect(Math.max(...sizes)).toBeLessThan(3_000);
});
