import { setTimeout } from 'node:timers/promises';
import { type GateAnswer, type GateAsk, pathsOfAsk } from '../../core/contracts/gate.ts';
import type { ProposedWrite } from '../../core/contracts/guard.ts';
import type { SetAside } from '../../core/work/change.ts';
import { type Approvals, isApproved } from '../../core/work/is-approved.ts';
import type { Tree } from '../workspace/tree-store.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { EditGrants, GRANT_MS } from './edit-grants.ts';
import { placeWrite, type WritePlace } from './resolve-write-path.ts';
import { TurnChanges } from './turn-changes.ts';
import { watchWorktree } from './worktree-watch.ts';
import { judgeWrite, type WriteVerdict } from './write-policy.ts';

const DIFF_BYTES = 4_000;
const PATH_SHOWN = 200;
const SHORTEST_PAUSE_MS = 50;
/** Looking takes at most a fifth of the time. */
const COST_FACTOR = 4;

/** A path as the agent named it, and where it leads. */
type Place = { given: string } & WritePlace;
type Objection = Extract<WriteVerdict, { ok: false }>;

export interface WriteLimits extends Approvals {
  maxFiles: number | 'off';
  scope: string[] | undefined;
  /** A debugging turn changes nothing (G-8). */
  readOnly: boolean;
}

export interface WriteGuard {
  /** Before the agent starts: what is changed already counts, and is no change of this turn. `tree`: the worktree as it is. */
  begin(tree?: Tree): Promise<void>;
  /** Changes of ours to the worktree, neither the agent's progress nor its violation. `work` says whether it made any. */
  exchange(work: (changed: readonly string[]) => Promise<boolean>): Promise<void>;
  /** The gate's rule: answers at once, or holds the ask until `settle`. */
  decideAsk(ask: GateAsk): Promise<GateAnswer>;
  /** Looks at the worktree now. */
  check(): Promise<void>;
  /** Looks unless it was looked at a moment ago: an agent that acts fast must not spend the time on looking. */
  checkIfDue(): Promise<void>;
  /** Edits that an agent with a gate made without asking. */
  putBackUnasked(paths: string[]): Promise<void>;
  /** After an answer: what the limits allow now happens, everything else is refused and stays put back. */
  settle(reason: string, answer: { approved: boolean }): Promise<void>;
  stop(): Promise<void>;
}

/** Both ways a write is caught: held at the gate before it happens, or found in the worktree, put back and set aside. */
export function createWriteGuard(options: {
  workspace: Workspace;
  asideDir: string;
  /** Its own reports: an agent may always write there. */
  stateDir: string;
  /** Changed paths in, those that count out. */
  countChanged(paths: string[]): Promise<string[]>;
  /** Writes put back earlier in this run. */
  aside: SetAside[];
  /** Milliseconds that the agent was at work: frozen, it makes no edit that it was allowed. */
  workedMs(): number;
  limits(): WriteLimits;
  onProposed(write: ProposedWrite, files: string[]): void;
  onFilesChanged(paths: string[]): void;
  onAside(items: SetAside[]): void;
  onGone(): void;
  onProblem(error: unknown): void;
}): WriteGuard {
  const { workspace, limits, workedMs } = options;
  let aside = options.aside;
  let held: { ask: GateAsk; answer(answer: GateAnswer): void }[] = [];
  const grants = new EditGrants(workedMs);
  const changes = new TurnChanges(options);
  let nextCheck = 0;
  let looking: Promise<unknown> | undefined;
  let stopped = false;

  const judge = (path: string, known: ReadonlySet<string>): WriteVerdict =>
    judgeWrite({ ...limits(), path, changed: known });
  const known = () => new Set([...changes.paths, ...grants.waiting()]);

  const look = async (): Promise<string[]> => {
    const started = workedMs();
    const paths = await changes.look();
    grants.forget(paths, started);
    return paths;
  };

  const isOwn = (path: string) => path.startsWith(`${options.stateDir}/`);
  const placesOf = (ask: GateAsk): Promise<Place[]> =>
    Promise.all(
      pathsOfAsk(ask).map(async (given) => ({ given, ...(await placeWrite(workspace.worktree, given)) })),
    );

  /** The first path that may not be written, or nothing. */
  const objection = (places: readonly Place[], soFar: Set<string>): Objection | undefined => {
    for (const place of places) {
      if (!place.ok) return { ok: false, why: 'invalid_path', path: place.given, problem: place.problem };
      if (isOwn(place.path)) continue;
      const verdict = judge(place.path, soFar);
      if (!verdict.ok) return verdict;
      soFar.add(place.path);
    }
    return undefined;
  };
  /** Nothing happens between the last look and the answer, so that two asks at once do not take the same free place. */
  const decide = async (ask: GateAsk): Promise<Objection | GateAnswer> => {
    const deadline = performance.now() + 2 * GRANT_MS;
    for (;;) {
      const places = await placesOf(ask);
      const found = objection(places, known());
      if (!found) return grant(places);
      // Too many only with those that were allowed and are not written: they may never be.
      const mayPass = found.why === 'file_limit' && !objection(places, new Set(changes.paths));
      if (!mayPass || stopped || performance.now() > deadline) return found;
      await setTimeout(SHORTEST_PAUSE_MS);
      // One look serves all that wait.
      looking ??= look().finally(() => {
        looking = undefined;
      });
      await looking;
    }
  };
  const setAside = (items: SetAside[]): void => {
    aside = items;
    options.onAside(items);
  };
  const grant = (places: readonly Place[]): GateAnswer => {
    const placed = places.filter((place) => place.ok).filter((place) => !isOwn(place.path));
    for (const place of placed) grants.add(place);
    const paths = placed.map((place) => place.path);
    // Asked for after all: what was written past the gate before must not come back over it.
    const left = aside.filter((item) => !item.gate_bypassed || !paths.includes(item.path));
    if (left.length < aside.length) setAside(left);
    return { decision: 'allow', reason: 'within the limits' };
  };

  const watch = watchWorktree({
    workspace: {
      async changedPaths() {
        const paths = await look();
        const approvals = limits();
        return changes.inOrder(paths, (path) => isApproved(path, approvals));
      },
    },
    judge,
    async onViolation(violations) {
      const paths = violations.map((violation) => violation.path);
      const diffs = new Map<string, string>();
      const byTree = new Map<Tree, string[]>();
      for (const path of paths) {
        const tree = await changes.treeBeforeViolation(path);
        if (diffs.size < 5) diffs.set(path, (await workspace.diff([path], DIFF_BYTES, tree)).text);
        const some = byTree.get(tree) ?? [];
        some.push(path);
        byTree.set(tree, some);
      }
      const items: SetAside[] = [];
      for (const [tree, some] of byTree)
        items.push(...(await workspace.revert(some, options.asideDir, tree)));
      setAside([...aside.filter((item) => !paths.includes(item.path)), ...items]);
      await look();
      for (const violation of violations) {
        if (violation.why === 'invalid_path') continue;
        const { path, why } = violation;
        options.onProposed({ path, why, held: false, diff: diffs.get(path) }, changes.paths);
      }
    },
    onGone: options.onGone,
    onProblem: options.onProblem,
  });

  return {
    begin: (tree) => changes.begin(tree),
    exchange: (work) =>
      watch.between(async () => {
        if (await work(changes.paths)) await changes.begin();
      }),
    check: () => watch.check(),
    async checkIfDue() {
      const started = performance.now();
      if (started < nextCheck) return;
      await watch.check();
      const cost = performance.now() - started;
      nextCheck = performance.now() + Math.max(SHORTEST_PAUSE_MS, cost * COST_FACTOR);
    },
    stop() {
      stopped = true;
      return watch.stop();
    },
    async putBackUnasked(paths) {
      for (const given of paths) {
        const place = await placeWrite(workspace.worktree, given);
        if (!place.ok) continue;
        const { path } = place;
        const tree = changes.treeBeforeEdit(path);
        if (grants.wasAsked(path) || isOwn(path) || !(await workspace.differs(path, tree))) continue;
        const { text } = await workspace.diff([path], DIFF_BYTES, tree);
        const items = await workspace.revert([path], options.asideDir, tree);
        const marked = items.map((item) => ({ ...item, gate_bypassed: true }));
        setAside([...aside.filter((item) => item.path !== path), ...marked]);
        options.onProposed({ path, why: 'gate_bypassed', held: false, diff: text }, [...known()]);
      }
    },
    async decideAsk(ask) {
      if (limits().readOnly) return { decision: 'deny', reason: 'a debugging turn changes no file' };
      const verdict = await decide(ask);
      if ('decision' in verdict) return verdict;
      if (verdict.why === 'invalid_path') return { decision: 'deny', reason: describeInvalid(verdict) };
      if (stopped) return { decision: 'deny', reason: 'the turn is over' };
      return new Promise((answer) => {
        held.push({ ask, answer });
        options.onProposed(
          { path: verdict.path, why: verdict.why, held: true, diff: ask.diff?.slice(0, DIFF_BYTES) },
          [...known()],
        );
      });
    },
    async settle(reason, { approved }) {
      const asks = held;
      held = [];
      for (const { ask, answer } of asks) {
        const decided = await decide(ask);
        answer('decision' in decided ? decided : { decision: 'deny', reason });
      }
      if (aside.length === 0 || limits().readOnly) return;
      await look();
      const soFar = known();
      const allowed = aside.filter(
        (item) => item.kind !== 'refused' && (approved || !item.gate_bypassed) && judge(item.path, soFar).ok,
      );
      if (allowed.length === 0) return;
      const back = await workspace.restoreAside(allowed);
      changes.allow(back, await workspace.snapshot());
      await look();
      setAside(aside.filter((item) => !allowed.includes(item)));
    },
  };
}

function describeInvalid({ path, problem }: { path: string; problem: string }): string {
  return `${JSON.stringify(path.slice(0, PATH_SHOWN))} may not be written: ${problem}. Name a file of the worktree by its own path.`;
}
