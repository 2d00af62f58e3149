import { setTimeout } from 'node:timers/promises';
import type { OwnRewrite } from '../../agents/agent.ts';
import { type GateAnswer, type GateAsk, pathsOfAsk } from '../../core/contracts/gate.ts';
import type { ProposedWrite } from '../../core/contracts/guard.ts';
import type { SetAside } from '../../core/work/change.ts';
import { type Approvals, isApproved } from '../../core/work/is-approved.ts';
import type { Tree } from '../workspace/tree-store.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { ApprovedContent, type ApprovedFile } from './approved-content.ts';
import { EditGrants, GRANT_MS } from './edit-grants.ts';
import { digestInWorktree, digestOfCopy, type ProposedContent, proposedContent } from './proposed-content.ts';
import { type ResolvedWrite, resolveWritePath } from './resolve-write-path.ts';
import { revertViolations } from './revert-violations.ts';
import { StartupRewrite } from './startup-rewrite.ts';
import { TurnChanges } from './turn-changes.ts';
import { watchWorktree } from './worktree-watch.ts';
import { describeInvalid, judgeWrite, reasonsOf, type WriteVerdict } from './write-policy.ts';

const DIFF_BYTES = 4_000;
/** Characters of patches that are read for one ask, once for each of its files. */
const MAX_PATCH_READ = 64 * 1024 * 1024;
const SHORTEST_PAUSE_MS = 50;
/** Looking at the worktree takes at most a fifth of the time. */
const COST_FACTOR = 4;

/** A path as the agent named it, and the file it leads to. */
type AskedPath = { given: string; content?: ProposedContent } & ResolvedWrite;
type Objection = Extract<WriteVerdict, { ok: false }>;
/** The paths of an ask that may not be written, and all of its paths. */
type Refused = { objections: Objection[]; asked: readonly AskedPath[] };

export interface WriteLimits extends Approvals {
  /** Files that are approved with exactly this content. */
  approvedFiles?: readonly ApprovedFile[];
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
  /** Call it at the agent's first tool call. From here on every change of its program's settings counts but the program's own. */
  endStartup(): Promise<void>;
  /** Call it after the agent's end. Reverts what its program did to its own settings. */
  undoOwnRewrite(): Promise<void>;
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
  /** The run's version of a path that is not in the worktree while the agent runs. */
  versionApart?(path: string): Promise<{ copy: string; mode: number } | 'deleted' | undefined>;
  ownRewrite?: OwnRewrite;
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
  const startup = new StartupRewrite({ ...options, wasAsked: (path) => grants.wasAsked(path) });
  const changes = new TurnChanges({
    ...options,
    async countChanged(paths) {
      const counted = await options.countChanged(await startup.undo(paths));
      return startup.counted(counted, (path) => changes.wasChanged(path));
    },
  });
  const approvedContent = new ApprovedContent(workspace, changes, async (path) => {
    const apart = await options.versionApart?.(path);
    return apart ? digestOfCopy(apart) : digestInWorktree(workspace.worktree, path);
  });
  let nextCheck = 0;
  let looking: Promise<unknown> | undefined;
  let stopped = false;

  const judge = (path: string, known: ReadonlySet<string>): WriteVerdict =>
    judgeWrite({ ...limits(), path, changed: known });
  /** S-7: content that a person has approved is allowed, whatever the limits say of its path. */
  const judgeContent = (
    path: string,
    digest: string | undefined,
    counted: ReadonlySet<string>,
  ): WriteVerdict => {
    const verdict = judge(path, counted);
    if (verdict.ok || verdict.why === 'invalid_path' || digest === undefined) return verdict;
    const { approvedFiles = [] } = limits();
    const isAsShown = approvedFiles.some((file) => file.path === path && file.digest === digest);
    return isAsShown ? { ok: true } : verdict;
  };
  const known = () => new Set([...changes.paths, ...grants.waiting()]);

  const look = async (): Promise<string[]> => {
    const started = workedMs();
    const paths = await changes.look();
    grants.forget(paths, started);
    return paths;
  };

  const isOwn = (path: string) => path.startsWith(`${options.stateDir}/`);
  const resolvePaths = (ask: GateAsk): Promise<AskedPath[]> => {
    const paths = pathsOfAsk(ask);
    const isReadable = paths.length * (ask.edit?.patch?.length ?? 0) <= MAX_PATCH_READ;
    return Promise.all(
      paths.map(async (given) => {
        const target = await resolveWritePath(workspace.worktree, given);
        if (!target.ok || !ask.edit || !isReadable) return { given, ...target };
        const named = { path: target.path, given };
        const content = await proposedContent(workspace.worktree, named, ask.edit, DIFF_BYTES);
        return { given, ...target, content };
      }),
    );
  };

  /** Finds all paths that may not be written, so that a person is asked about them at once. An invalid one is refused at once. */
  const findObjections = (asked: readonly AskedPath[], counted: Set<string>): Objection[] => {
    const found: Objection[] = [];
    for (const target of asked) {
      if (!target.ok)
        return [{ ok: false, why: 'invalid_path', path: target.given, problem: target.problem }];
      if (isOwn(target.path)) continue;
      const verdict = judgeContent(target.path, target.content?.digest, counted);
      if (verdict.ok) counted.add(target.path);
      else found.push(verdict);
    }
    return found;
  };
  /** Judges and grants without an await in between, so that two asks at once do not both get the last free file. */
  const decide = async (ask: GateAsk): Promise<Refused | GateAnswer> => {
    const deadline = performance.now() + 2 * GRANT_MS;
    for (;;) {
      const asked = await resolvePaths(ask);
      const found = findObjections(asked, known());
      if (found.length === 0) return grant(asked);
      // It is over the limit only with edits that were allowed and not made. They may never be made, so it waits for them.
      const mayPass =
        found.every(({ why }) => why === 'file_limit') &&
        findObjections(asked, new Set(changes.paths)).length === 0;
      if (!mayPass || stopped || performance.now() > deadline) return { objections: found, asked };
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

  /** Holds an edit until `settle`, and asks about every file of it that is not allowed. */
  const hold = (ask: GateAsk, { objections, asked }: Refused, answer: (answer: GateAnswer) => void): void => {
    const invalid = objections.find((objection) => objection.why === 'invalid_path');
    if (invalid || stopped) {
      answer({ decision: 'deny', reason: invalid ? describeInvalid(invalid) : 'the turn is over' });
      return;
    }
    held.push({ ask, answer });
    for (const { path, why } of objections) {
      if (why === 'invalid_path') continue;
      const target = asked.find((candidate) => candidate.ok && candidate.path === path);
      const diff = target?.content?.diff ?? ask.diff?.slice(0, DIFF_BYTES);
      const shown = { diff, digest: target?.content?.digest, reasons: reasonsOf(path, why) };
      options.onProposed({ path, why, held: true, ...shown }, [...known()]);
    }
  };

  const watch = watchWorktree({
    workspace: {
      async changedPaths() {
        const paths = await look();
        const approvals = limits();
        await approvedContent.look(paths, approvals.approvedFiles ?? []);
        return changes.inOrder(
          paths,
          (path) => approvedContent.digestOf(path) !== undefined || isApproved(path, approvals),
        );
      },
    },
    judge: (path, counted) => judgeContent(path, approvedContent.digestOf(path), counted),
    async onViolation(violations) {
      const paths = violations.map((violation) => violation.path);
      const { items, shown } = await revertViolations(options, changes, paths);
      saveAside([...aside.filter((item) => !paths.includes(item.path)), ...items]);
      await look();
      for (const violation of violations) {
        if (violation.why === 'invalid_path') continue;
        const { path, why } = violation;
        const reasons = reasonsOf(path, why);
        options.onProposed({ path, why, held: false, ...shown(path), reasons }, changes.paths);
      }
    },
    onGone: options.onGone,
    onProblem: options.onProblem,
  });

  const undoOwnRewrite = () =>
    watch.betweenLooks(async () => {
      await startup.undo();
      startup.end();
    });
  let ending: Promise<void> | undefined;
  const endStartup = (): Promise<void> => {
    ending ??= undoOwnRewrite();
    return ending;
  };
  const begin = async (tree?: Tree): Promise<void> => {
    await changes.begin(tree);
    startup.begin(changes.startTree);
  };

  return {
    begin,
    applyOwnChanges: (work) =>
      watch.betweenLooks(async () => {
        if (await work(changes.paths)) await begin();
      }),
    endStartup,
    undoOwnRewrite,
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
        const digest = await digestInWorktree(workspace.worktree, path);
        const { text } = await workspace.diff([path], DIFF_BYTES, tree);
        const items = await workspace.revert([path], options.asideDir, tree);
        const marked = items.map((item) => ({ ...item, digest, gate_bypassed: true }));
        saveAside([...aside.filter((item) => item.path !== path), ...marked]);
        const shown = { diff: text, digest, reasons: reasonsOf(path, 'gate_bypassed') };
        options.onProposed({ path, why: 'gate_bypassed', held: false, ...shown }, [...known()]);
      }
    },
    async decideAsk(ask) {
      await endStartup();
      if (limits().readOnly) return { decision: 'deny', reason: 'a debugging turn changes no file' };
      const verdict = await decide(ask);
      return 'decision' in verdict ? verdict : new Promise((answer) => hold(ask, verdict, answer));
    },
    async settle(reason, { approved }) {
      const asks = held;
      held = [];
      for (const { ask, answer } of asks) {
        const decided = await decide(ask);
        if ('decision' in decided) answer(decided);
        // An approval that does not cover all of the edit asks about the rest. It is not refused with words of approval.
        else if (approved) hold(ask, decided, answer);
        else answer({ decision: 'deny', reason });
      }
      if (aside.length === 0 || limits().readOnly) return;
      await look();
      const counted = known();
      const allowed = aside.filter(
        (item) =>
          item.kind !== 'refused' &&
          (approved || !item.gate_bypassed) &&
          judgeContent(item.path, item.digest, counted).ok,
      );
      if (allowed.length === 0) return;
      const back = await workspace.restoreAside(allowed);
      changes.allow(back, await workspace.snapshot());
      await look();
      saveAside(aside.filter((item) => !allowed.includes(item)));
    },
  };
}
