import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Delivered, deliver } from '../../src/actions-desk/deliver.ts';
import type { DeskParts, IssueState, Taking } from '../../src/actions-desk/desk-parts.ts';
import { type DeskOutputs, runDesk } from '../../src/actions-desk/run-desk.ts';
import type { AppLog } from '../../src/app/dependencies.ts';
import type { RunState } from '../../src/core/contracts/run-state.ts';
import { UserError } from '../../src/core/error-catalogue.ts';
import type { GitHub } from '../../src/core/ports/github-port.ts';
import { HeldBrief } from '../../src/core/ports/held-brief.ts';
import { RULES } from '../../src/guards/rules.ts';
import { packOutput } from '../../src/link/job-output.ts';
import { checkpointKey, deriveKeys, workKey } from '../../src/store/ref/keys.ts';
import { LeaseLostError } from '../../src/store/ref/lease-lost-error.ts';
import { listOpenIssues } from '../../src/store/ref/list-open-issues.ts';
import { openRefStore } from '../../src/store/ref/ref-store.ts';
import { KEPT_MS, removeOldRefs } from '../../src/store/ref/remove-old-refs.ts';
import { type AppDesk, type AppDeskOptions, openAppDesk } from '../app/app-desk.ts';
import type { Run } from '../core/run-builder.ts';
import { createMemoryRefStorage, type MemoryRefStorage } from '../store/ref/memory-ref-storage.ts';

const INSTALLED = { installation_id: 100, owner: 'olivia', repo: 'shop' };
export const STATE_KEY = 'k'.repeat(44);

export interface World {
  app: AppDesk;
  github: GitHub;
  storage: MemoryRefStorage;
  clock: { ms: number };
  /** The events that happened since the last call. */
  events(): { name: string; payload: unknown }[];
  /** Plays the part `desk` of one Actions run for one event. */
  desk(event: { name: string; payload: unknown }, changes?: Partial<DeskParts>): Promise<DeskOutputs>;
  /** Plays it for each event that happened since, and returns the last outputs. */
  desks(): Promise<DeskOutputs>;
  /** The part `deliver` of the newest Actions run, or of another one. */
  deliver(left?: Partial<Delivered>, changes?: Partial<DeskParts>, actionsRun?: number): Promise<void>;
  /** The id of the newest Actions run. */
  actionsRun(): number;
  /** The state of an issue as a delivering desk gets it. */
  open(issue: number, taking?: Partial<Taking>): Promise<IssueState>;
  /** Looks into the state of an issue. */
  look<Result>(issue: number, into: (state: IssueState) => Promise<Result>): Promise<Result>;
  state(issue: number): Promise<RunState>;
  brief(issue: number): Promise<HeldBrief>;
  /** The texts of the comments on an issue. */
  comments(issue: number): Promise<string[]>;
  /** Names of the port's methods that the desk called. */
  calls: string[];
  /** The warnings in the logs of the desks. */
  warned: string[];
  close(): Promise<void>;
}

/** Desks in Actions jobs, before the local GitHub, with refs in memory. */
export async function openWorld(options: AppDeskOptions & { hasStateKey?: boolean } = {}): Promise<World> {
  const app = await openAppDesk(options);
  const directory = mkdtempSync(join(tmpdir(), 'autobuild-world-'));
  const storage = createMemoryRefStorage();
  const calls: string[] = [];
  const github = counted(await app.deps.github(INSTALLED), calls);
  const { repo_id } = await github.defaultBranch();
  const repository = { id: repo_id, name: 'olivia/shop' };
  const keys = deriveKeys({
    stateKey: options.hasStateKey === false ? undefined : STATE_KEY,
    modelKey: 'a model key',
    repository,
  });
  const warned: string[] = [];
  const log: AppLog = {
    info: () => undefined,
    warn: (fields, message) => void warned.push(`${message} ${JSON.stringify(fields)}`),
    error: (fields, message) => void warned.push(`${message} ${JSON.stringify(fields)}`),
  };
  const { clock } = app;
  let read = 0;
  let actionsRun = 700;
  let newest: { name: string; payload: unknown } | undefined;
  const parts = (part: 'desk' | 'deliver', event: { name: string; payload: unknown }): DeskParts => ({
    job: {
      part,
      owner: 'olivia',
      repo: 'shop',
      repoId: repo_id,
      actionsRun,
      attempt: 1,
      workflow: 'autobuild.yml',
      event,
      label: 'autobuild',
      defaults: { checks: [] },
      webUrl: `http://${app.github.host}`,
      directory,
      endsAt: new Date(clock.ms + 570_000),
      now: () => new Date(clock.ms),
      async sleep(ms) {
        clock.ms += ms;
      },
      log,
    },
    github,
    openState: (issue, taking) => open(issue, { run: actionsRun, attempt: 1, part }, taking),
    openIssues: () => listOpenIssues({ storage, now: () => clock.ms }),
    keptMs: KEPT_MS,
    removeOldStates: () => removeOldRefs({ storage, now: () => clock.ms }),
    isTakenOver: (error) => error instanceof LeaseLostError,
    isBusy: (error) => error instanceof UserError && error.code === 'state_busy',
    isTooLarge: (error) => error instanceof UserError && error.code === 'state_too_large',
    rules: RULES,
    agents: ['claude'],
    keysFor: (issue, operation) => ({
      work: workKey(keys, operation),
      checkpoint: checkpointKey(keys, issue),
    }),
    secrets: keys.state.split(','),
    packOutput,
    isKeyDerived: keys.isDerived,
  });
  const open = (
    issue: number,
    holder: { run: number; attempt: number; part: string },
    taking: Partial<Taking> = {},
  ) =>
    openRefStore({
      ...taking,
      storage,
      repository,
      issue,
      keys,
      holder,
      isOver: async () => true,
      now: () => clock.ms,
      sleep: async (ms) => {
        clock.ms += ms;
      },
      directory,
    });
  const world: World = {
    app,
    github,
    storage,
    clock,
    calls,
    warned,
    events() {
      const all = app.github.webhooks.deliveries;
      const fresh = all
        .slice(read)
        .map(({ event, payload }) => ({ name: event, payload: payload as unknown }));
      read = all.length;
      return fresh;
    },
    async desk(event, changes = {}) {
      actionsRun += 1;
      newest = event;
      calls.length = 0;
      return runDesk({ ...parts('desk', event), ...changes });
    },
    async desks() {
      let outputs: DeskOutputs = { next: 'none' };
      for (const event of world.events()) {
        const next = await world.desk(event);
        if (next.next !== 'none') outputs = next;
        // Later events have Actions runs of their own, and the delivery is of the one that goes on.
        if (next.next !== 'none') break;
      }
      read = app.github.webhooks.deliveries.length;
      return outputs;
    },
    actionsRun: () => actionsRun,
    open: (issue, taking) => open(issue, { run: actionsRun, attempt: 1, part: 'deliver' }, taking),
    async deliver(left = {}, changes = {}, id = actionsRun) {
      const nothing = { entries: [], isLastWordThere: false, skipped: {} };
      calls.length = 0;
      const usual = parts('deliver', newest ?? { name: '', payload: {} });
      await deliver(
        { ...usual, job: { ...usual.job, actionsRun: id }, ...changes },
        { readWork: () => nothing, result: undefined, conclusions: [], ...left },
      );
      read = app.github.webhooks.deliveries.length;
    },
    async look(issue, into) {
      const state = await open(issue, { run: 1, attempt: 1, part: 'test' });
      try {
        return await into(state);
      } finally {
        await state.release({});
      }
    },
    state: (issue) =>
      world.look(issue, async ({ store }) => {
        const run = await store.runs.ofIssue(repo_id, issue);
        const { state } = await store.runs.load(run ?? '');
        if (!state) throw new Error(`Issue ${issue} has no run.`);
        return state;
      }),
    brief: (issue) =>
      world.look(issue, async (state) =>
        HeldBrief.parse(JSON.parse(Buffer.from((await state.getEntry('brief')) ?? '').toString('utf8'))),
      ),
    async comments(issue) {
      return (await app.olivia.comments(issue)).map(({ body }) => body);
    },
    async close() {
      await app.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
  return world;
}

/** What a build would leave of these claims, with this work before the last one. */
export function leave(run: Run, from: number, changeset?: string): Partial<Delivered> {
  const claims = run.commits
    .slice(from)
    .flatMap(({ input }) =>
      input.type === 'claim' ? [{ type: 'claim' as const, envelope: input.envelope }] : [],
    );
  const at = claims.findIndex(({ envelope }) => envelope.type === 'turn_ended');
  const work = changeset
    ? [{ type: 'blob' as const, name: 'changeset' as const, bytes: Buffer.from(changeset) }]
    : [];
  const entries = [...claims.slice(0, Math.max(at, 0)), ...work, ...claims.slice(Math.max(at, 0))];
  return { readWork: () => ({ entries, isLastWordThere: true, skipped: {} }) };
}

function counted(github: GitHub, calls: string[]): GitHub {
  return new Proxy(github, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        calls.push(String(name));
        return Reflect.apply(value, target, args);
      };
    },
  });
}
