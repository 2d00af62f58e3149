import { setTimeout } from 'node:timers/promises';
import { type GateAnswer, type GateAsk, pathsOfAsk } from '../../core/contracts/gate.ts';
import type { ProposedWrite } from '../../core/contracts/guard.ts';
import type { SetAside } from '../../core/work/change.ts';
import { type Approvals, isApproved } from '../../core/work/is-approved.ts';
import type { Tree } from '../workspace/tree-store.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { EditGrants, GRANT_MS } from './edit-grants.ts';
import { type ResolvedWrite, resolveWritePath } from './resolve-write-path.ts';
import { TurnChanges } from './turn-changes.ts';
import { watchWorktree } from './worktree-watch.ts';
import { judgeWrite, type WriteVerdict } from './write-policy.ts';

const DIFF_BYTES = 4_000;
const PATH_SHOWN = 200;
const SHORTEST_PAUSE_MS = 50;
/** Looking at the worktree takes at most a fifth of the time. */
const COST_FACTOR = 4;

/** A path as the agent named it, and the file it leads to. */
type AskedPath = { given: string } & ResolvedWrite;
type Objection = Extract<WriteVerdict, { ok: false }>;

export interface WriteLimits extends Approvals {
  maxFiles: number | 'off';
  scope: string[] | undefined;
  /** A debugging turn changes nothing (G-8). */
  readOnly: boolean;
}

export interface WriteGuard {
  /** Call it before the agent starts. Files changed so far are not changes of this turn. `tree` is the current worktree. */
  begin(tree?: Tree): Promise<void>;
  /** Runs work that changes the worktree, so that its changes are not judged as the agent's. It returns whether it made any. */
  applyOwnChanges(work: (changed: readonly string[]) => Promise<boolean>): Promise<void>;
  /** Answers the gate at once, or holds the ask until `settle`. */
  decideAsk(ask: GateAsk): Promise<GateAnswer>;
  /** Looks at the worktree now, and reverts violations. */
  check(): Promise<void>;
  /** Checks unless it did a moment ago, because frequent looks would slow down an agent that acts fast. */
  checkIfDue(): Promise<void>;
  /** Reverts edits that an agent with a gate made without asking. */
  revertUnasked(paths: string[]): Promise<void>;
  /** Call it after an answer. Edits that the limits now allow are made; all others are refused and stay reverted. */
  settle(reason: string, answer: { approved: boolean }): Promise<void>;
  stop(): Promise<void>;
}

/** Catches writes that are not allowed: holds them at the gate, or finds them in the worktree, reverts them and sets them aside. */
export function createWriteGuard(options: {
  workspace: Workspace;
  asideDir: string;
  /** The agent may always write here, because its reports are here. */
  stateDir: string;
  /** Returns the paths that count as changed. */
  countChanged(paths: string[]): Promise<string[]>;
  /** Writes reverted earlier in this run. */
  aside: SetAside[];
  /** Milliseconds the agent was running. A frozen agent cannot make an edit that was allowed. */
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
  const resolvePaths = (ask: GateAsk): Promise<AskedPath[]> =>
    Promise.all(
      pathsOfAsk(ask).map(async (given) => ({
        given,
        ...(await resolveWritePath(workspace.worktree, given)),
      })),
    );

  /** Finds the first path that may not be written. */
  const findObjection = (asked: readonly AskedPath[], counted: Set<string>): Objection | undefined => {
    for (const target of asked) {
      if (!target.ok) return { ok: false, why: 'invalid_path', path: target.given, problem: target.problem };
      if (isOwn(target.path)) continue;
      const verdict = judge(target.path, counted);
      if (!verdict.ok) return verdict;
      counted.add(target.path);
    }
    return undefined;
  };
  /** Judges and grants without an await in between, so that two asks at once do not both get the last free file. */
  const decide = async (ask: GateAsk): Promise<Objection | GateAnswer> => {
    const deadline = performance.now() + 2 * GRANT_MS;
    for (;;) {
      const asked = await resolvePaths(ask);
      const found = findObjection(asked, known());
      if (!found) return grant(asked);
      // It is over the limit only with edits that were allowed and not made. They may never be made, so it waits for them.
      const mayPass = found.why === 'file_limit' && !findObjection(asked, new Set(changes.paths));
      if (!mayPass || stopped || performance.now() > deadline) return found;
      await setTimeout(SHORTEST_PAUSE_MS);
      // All waiting asks share one look.
      looking ??= look().finally(() => {
        looking = undefined;
      });
      await looking;
    }
  };
  const saveAside = (items: SetAside[]): void => {
    aside = items;
    options.onAside(items);
  };
  const grant = (asked: readonly AskedPath[]): GateAnswer => {
    const targets = asked.filter((target) => target.ok).filter((target) => !isOwn(target.path));
    for (const target of targets) grants.add(target);
    const paths = targets.map((target) => target.path);
    // The agent has asked after all, so an earlier edit made without asking must not be restored over this one.
    const left = aside.filter((item) => !item.gate_bypassed || !paths.includes(item.path));
    if (left.length < aside.length) saveAside(left);
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
      saveAside([...aside.filter((item) => !paths.includes(item.path)), ...items]);
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
    applyOwnChanges: (work) =>
      watch.betweenLooks(async () => {
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
    async revertUnasked(paths) {
      for (const given of paths) {
        const target = await resolveWritePath(workspace.worktree, given);
        if (!target.ok) continue;
        const { path } = target;
        const tree = changes.treeBeforeEdit(path);
        if (grants.wasAsked(path) || isOwn(path) || !(await workspace.differs(path, tree))) continue;
        const { text } = await workspace.diff([path], DIFF_BYTES, tree);
        const items = await workspace.revert([path], options.asideDir, tree);
        const marked = items.map((item) => ({ ...item, gate_bypassed: true }));
        saveAside([...aside.filter((item) => item.path !== path), ...marked]);
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
      const counted = known();
      const allowed = aside.filter(
        (item) =>
          item.kind !== 'refused' && (approved || !item.gate_bypassed) && judge(item.path, counted).ok,
      );
      if (allowed.length === 0) return;
      const back = await workspace.restoreAside(allowed);
      changes.allow(back, await workspace.snapshot());
      await look();
      saveAside(aside.filter((item) => !allowed.includes(item)));
    },
  };
}

function describeInvalid({ path, problem }: { path: string; problem: string }): string {
  return `${JSON.stringify(path.slice(0, PATH_SHOWN))} may not be written: ${problem}. Name a file of the worktree by its own path.`;
}
