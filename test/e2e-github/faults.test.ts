import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { WorkflowEvent } from '../../src/sandbox/actions/triggers.ts';
import type { Call } from '../../src/sandbox/github/gap.ts';
import type { Delivery } from '../../src/sandbox/github/webhook-relay.ts';
import { AUTHORS, DESKS, openScene, type Scene, type Story } from './scene.ts';
import { until } from './until.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 60_000 });

describe.each(DESKS)('%s', (desk) => {
  let scene: Scene;
  let look: (call: Call) => void = () => undefined;
  beforeAll(async () => {
    scene = await openScene({
      desk,
      interfere(call) {
        look(call);
        return undefined;
      },
    });
  });
  afterAll(() => scene?.close());
  beforeEach(() => {
    const { webhooks, workflows } = scene.sandbox.github;
    webhooks.route((delivery) => [delivery]);
    workflows.route(() => true);
    look = () => undefined;
  });

  /** Each event comes twice: to the App as two deliveries, to Actions as two runs. */
  function doubleEvents(): void {
    const { webhooks, workflows } = scene.sandbox.github;
    webhooks.route((delivery) => {
      if (desk === 'App') return [delivery, delivery];
      void workflows.receive(delivery.event, delivery.payload);
      return [];
    });
  }

  async function repeat(delivery: Delivery): Promise<void> {
    const { webhooks, workflows } = scene.sandbox.github;
    if (desk === 'App') expect(await webhooks.redeliver(delivery)).toBe(202);
    else await workflows.receive(delivery.event, delivery.payload);
  }

  /** The first comment's event overtakes nobody: it arrives after the second's. */
  function swapComments(): void {
    const { webhooks, workflows } = scene.sandbox.github;
    const isComment = (name: string, action: unknown) => name === 'issue_comment' && action === 'created';
    if (desk === 'App') {
      let held: Delivery | undefined;
      webhooks.route((delivery) => {
        if (!isComment(delivery.event, delivery.action)) return [delivery];
        if (held) return [delivery, held];
        held = delivery;
        return [];
      });
      return;
    }
    let held: WorkflowEvent | undefined;
    workflows.route((event) => {
      if (!isComment(event.name, event.payload.action)) return true;
      if (!held) {
        held = event;
        return false;
      }
      workflows.route(() => true);
      void workflows.receive(held.name, held.payload);
      return true;
    });
  }

  /** Nobody hears of what people do meanwhile. */
  async function beAway(act: () => Promise<void>, ...stories: Story[]): Promise<void> {
    const { github, startApp } = scene.sandbox;
    const runs = github.workflows.runs.length;
    await scene.apps[0]?.kill();
    github.workflows.route(() => desk === 'App');
    await act();
    await github.heard();
    await github.webhooks.settled();
    await github.workflows.settled();
    expect(github.webhooks.deliveries.at(-1)?.statuses).toEqual([0]);
    expect(github.workflows.runs).toHaveLength(runs);
    github.workflows.route(() => true);
    if (desk === 'App') scene.apps[0] = await startApp();
    for (const story of stories) await scene.lookAgain(story);
  }

  test('R-2: events that come twice, and again later, have one effect', async () => {
    const { webhooks } = scene.sandbox.github;
    doubleEvents();
    const story = await scene.begin('asks');
    await story.question();
    await story.parked();
    await scene.olivia.comment(story.issue, '/provide colour=blue');
    await story.reached('done');
    await story.parked();
    webhooks.route((delivery) => [delivery]);
    for (const delivery of [...webhooks.deliveries]) await repeat(delivery);
    await scene.olivia.comment(story.issue, '/status');
    await story.comment(':reply ', 'Done: all checks pass, ready for review');
    await story.parked();
    const ours = (await story.comments()).filter(({ user }) => user.login === AUTHORS[desk]);
    const kinds = ours.map(({ body }) => /autobuild:(\w+)/.exec(body)?.[1]).sort();
    expect(kinds).toEqual(['escalation', 'receipt', 'reply', 'reply', 'status']);
    expect([story.runs('build').length, story.runs('verify').length]).toEqual([2, 1]);
  });

  test('R-2: events in another order have the same effect', async () => {
    const story = await scene.begin('keeps-asking');
    await story.question();
    await story.parked();
    swapComments();
    await scene.olivia.comment(story.issue, '/guide Take your time');
    await scene.olivia.comment(story.issue, '/provide colour=late');
    if (desk === 'Actions') {
      // It reads comments in the order in which they were written: the guidance answers, and the value is asked for again.
      await story.question(2);
      await story.parked();
      await scene.olivia.comment(story.issue, '/provide colour=late');
    }
    await story.reached('done');
    const pull = await story.pullRequest();
    expect(await scene.olivia.file('done.txt', pull.head.ref)).toBe('late\n');
  });

  test('R-1, R-3: down while people are asked, answered by comment and by tick meanwhile: it goes on', async () => {
    const [told, ticked] = await Promise.all([scene.begin('asks'), scene.begin('asks')]);
    await Promise.all([told.question(), ticked.question(), told.parked(), ticked.parked()]);
    await beAway(
      async () => {
        await scene.olivia.comment(told.issue, '/provide colour=green');
        await scene.sandbox.person('walter').tick(await ticked.question(), 'accept');
      },
      told,
      ticked,
    );
    await Promise.all([told.reached('done'), ticked.reached('done')]);
    const pull = await told.pullRequest();
    expect(await scene.olivia.file('done.txt', pull.head.ref)).toBe('green\n');
    expect((await ticked.pullRequest()).body).toContain('walter');
    expect(told.runs('build')).toHaveLength(2);
  });

  test('R-3: killed while a job works, or while it takes in what the job left: nothing is lost', async () => {
    const { github, startApp } = scene.sandbox;
    let killed = false;
    look = ({ caller }) => {
      if (killed || caller.kind !== 'job' || caller.job !== 'deliver') return;
      killed = true;
      github.killJob(caller.run, caller.job);
    };
    const story = await scene.begin('asks');
    if (desk === 'App') {
      await until('the job has begun', () => scene.apps[0]?.log().includes(`"run":"i${story.issue}-`));
      await scene.apps[0]?.kill();
      scene.apps[0] = await startApp();
    } else {
      const [run] = await until('it was killed', () => killed && story.runs());
      await story.parked();
      // Without that click the next word of a person does it, once the job was silent for three minutes.
      expect(github.workflows.rerun(run?.id ?? 0, 'failed')).toBe(true);
    }
    await story.question();
    await story.parked();
    await scene.olivia.comment(story.issue, '/guide Take any');
    await story.reached('done');
    expect(story.runs('verify')).toHaveLength(1);
  });
});
