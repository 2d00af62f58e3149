import type { Probot } from 'probot';
import { expect, test } from 'vitest';
import autobuild from '../../src/app/app.ts';
import type { HostedDependencies } from '../../src/app/dependencies.ts';
import { WEBHOOK_EVENTS } from '../../src/core/ports/webhook-events.ts';

test('C-1: every webhook that ingest keeps has a handler, and every handler gets its webhook', () => {
  const handled: string[] = [];
  const recorder = { on: (names: string | string[]) => void handled.push(...[names].flat()) };
  autobuild({ settings: { label: 'autobuild' } } as HostedDependencies)(recorder as unknown as Probot);
  const listed = Object.entries(WEBHOOK_EVENTS).flatMap(([event, actions]) =>
    // An event without an action has an empty one.
    actions.map((action) => (action === '' ? event : `${event}.${action}`)),
  );
  expect(handled.toSorted()).toEqual(listed.toSorted());
});
