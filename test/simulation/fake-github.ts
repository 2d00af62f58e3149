import { createHash } from 'node:crypto';
import { changedOnBoth } from '../../src/app/revise/read-update.ts';
import type { Permission } from '../../src/core/contracts/role.ts';
import type { PullCi } from '../../src/core/ports/github/ci-port.ts';
import type { MergeSides } from '../../src/core/ports/github/merge-port.ts';
import type { PullReview, ReviewedPull } from '../../src/core/ports/github/review-port.ts';
import type { WorkflowRun } from '../../src/core/ports/github/workflow-port.ts';
import {
  type CommitFile,
  type GitHub,
  type GitHubComment,
  GitHubError,
  type GitHubIssue,
  type IssueEvent,
  type Listing,
  type PullRequest,
} from '../../src/core/ports/github-port.ts';
import { FakeReviews } from './fake-reviews.ts';
import type { World } from './world.ts';

export const APP_ID = 77;
export const BOT = 'autobuild[bot]';
export const INSTALLATION = 100;
export const REPO_ID = 5;
export const OWNER = 'olivia';
export const REPO = 'shop';
export const LABEL = 'autobuild';
export const PEOPLE: Record<string, Permission> = {
  rosa: 'admin',
  walter: 'write',
  rita: 'read',
};
const CONFIG = 'agent: scripted\nagents:\n  scripted: { command: ["true"] }\nverify: [npm test]\n';

export interface Comment extends GitHubComment {
  issue: number;
  reactions: string[];
  edits: { at: string; by: string }[];
}

export interface Issue extends Omit<GitHubIssue, 'comments'> {
  events: IssueEvent[];
  edit?: { at: string; by: string };
}

export interface ActionsRun extends WorkflowRun {
  inputs: Record<string, string>;
  cancelled: boolean;
  /** When its attempt began to wait for a machine. */
  queued: number;
  ended?: number;
}

export interface Pull extends PullRequest {
  branch: string;
  edit?: { at: string; by: string };
}

/** What was written to GitHub, with the time it took effect. */
export interface Write {
  at: number;
  method: string;
  args: readonly unknown[];
}

export interface FakeCommit {
  parent: string;
  /** The second parent, whose tree the files are a change of. */
  merged?: string;
  message: string;
  files: CommitFile[];
}

/** Somebody set the label, or edited the issue. Each text is written once. */
export interface IssueChange {
  at: number;
  by: string;
}

/** What GitHub knows. Methods take effect at once; the calls of desks go through `connect`. */
export class FakeGitHub {
  readonly world: World;
  readonly issues = new Map<number, Issue>();
  readonly comments = new Map<number, Comment>();
  /** Comments of the App that ever existed, by their marker. */
  readonly created: Comment[] = [];
  readonly runs: ActionsRun[] = [];
  readonly branches = new Map<string, string>();
  readonly pulls = new Map<number, Pull>();
  /** By the node of their pull request. */
  readonly reviews = new Map<string, FakeReviews>();
  readonly writes: Write[] = [];
  readonly labelled: IssueChange[] = [];
  readonly edited: (IssueChange & { body: string })[] = [];
  /** Commits of the App and of people. */
  readonly commits = new Map<string, FakeCommit>();
  /** Contents of files by their names in trees. */
  readonly #blobs = new Map<string, string>();
  /** Commits that people pushed to a branch of ours. */
  readonly pushed: { branch: string; commit: string }[] = [];
  /** Reads that GitHub counts: a list that did not change is free. */
  counted = 0;
  /** GitHub's clock differs from the database's. */
  skewMs = 0;
  head = sha('main');
  config = CONFIG;
  #id = 1000;
  #api: Record<string, (...args: never[]) => unknown> | undefined;
  onWebhook: (event: string, payload: object) => void = () => undefined;
  onDispatch: (run: ActionsRun) => void = () => undefined;
  onCancel: (run: ActionsRun) => void = () => undefined;
  /** A pull request is ready for review. */
  onReady: (pull: number) => void = () => undefined;

  constructor(world: World) {
    this.world = world;
  }

  nextId(): number {
    this.#id += 1;
    return this.#id;
  }

  /** GitHub's times are whole seconds. */
  time(): string {
    return new Date(Math.floor((this.world.now + this.skewMs) / 1000) * 1000)
      .toISOString()
      .replace('.000Z', 'Z');
  }

  emit(event: string, payload: Record<string, unknown>, sender: string): void {
    const isBot = sender.endsWith('[bot]');
    this.onWebhook(event, {
      ...payload,
      sender: { login: sender, type: isBot ? 'Bot' : 'User' },
      installation: { id: INSTALLATION },
      repository: { id: REPO_ID, name: REPO, owner: { login: OWNER }, default_branch: 'main' },
    });
  }

  openIssue(): number {
    const number = this.issues.size + 1;
    this.issues.set(number, {
      number,
      node_id: `I_${number}`,
      title: 'Add a login page',
      body: 'People sign in with their e-mail address.',
      state: 'open',
      locked: false,
      labels: [],
      author: 'rosa',
      updated_at: this.time(),
      events: [],
    });
    return number;
  }

  issuePayload(number: number) {
    const { events: _, edit: _edit, ...issue } = this.#issue(number);
    return structuredClone(issue);
  }

  setLabel(number: number, label: string, by: string): void {
    const issue = this.#issue(number);
    if (issue.labels.includes(label)) return;
    issue.labels.push(label);
    if (label === LABEL) this.labelled.push({ at: this.world.now, by });
    this.#happened(number, 'labeled', by, label);
    this.emit('issues', { action: 'labeled', label: { name: label }, issue: this.issuePayload(number) }, by);
  }

  unsetLabel(number: number, label: string, by: string): void {
    const issue = this.#issue(number);
    if (!issue.labels.includes(label)) return;
    issue.labels = issue.labels.filter((other) => other !== label);
    this.#happened(number, 'unlabeled', by, label);
    this.emit(
      'issues',
      { action: 'unlabeled', label: { name: label }, issue: this.issuePayload(number) },
      by,
    );
  }

  editIssue(number: number, by: string): void {
    const issue = this.#issue(number);
    issue.body = `People sign in as ${by} said in edit ${this.edited.length + 1}.`;
    this.edited.push({ at: this.world.now, by, body: issue.body });
    issue.edit = { at: this.time(), by };
    this.#touch(number);
    this.emit('issues', { action: 'edited', issue: this.issuePayload(number) }, by);
  }

  setState(number: number, state: 'open' | 'closed', by: string): void {
    const issue = this.#issue(number);
    if (issue.state === state) return;
    issue.state = state;
    this.#happened(number, state === 'closed' ? 'closed' : 'reopened', by);
    const action = state === 'closed' ? 'closed' : 'reopened';
    this.emit('issues', { action, issue: this.issuePayload(number) }, by);
  }

  write(issue: number, body: string, by: string): Comment {
    const id = this.nextId();
    const at = this.time();
    const isBot = by === BOT;
    const comment: Comment = {
      id,
      node_id: `C_${id}`,
      body,
      author: by,
      author_type: isBot ? 'Bot' : 'User',
      app_id: isBot ? APP_ID : undefined,
      created_at: at,
      updated_at: at,
      url: `https://github.test/c/${id}`,
      issue,
      reactions: [],
      edits: [],
    };
    this.comments.set(id, comment);
    if (isBot) this.created.push(comment);
    this.#touch(issue);
    this.emit('issue_comment', { action: 'created', ...this.#commentPayload(comment) }, by);
    return comment;
  }

  edit(id: number, body: string, by: string): Comment | undefined {
    const comment = this.comments.get(id);
    if (!comment) return undefined;
    const from = comment.body;
    comment.body = body;
    comment.updated_at = this.time();
    comment.edits.push({ at: comment.updated_at, by });
    this.#touch(comment.issue);
    this.emit(
      'issue_comment',
      { action: 'edited', changes: { body: { from } }, ...this.#commentPayload(comment) },
      by,
    );
    return comment;
  }

  remove(id: number, by: string): void {
    const comment = this.comments.get(id);
    if (!comment) return;
    this.comments.delete(id);
    this.#touch(comment.issue);
    this.emit('issue_comment', { action: 'deleted', ...this.#commentPayload(comment) }, by);
  }

  closePull(number: number, merged: boolean, by: string): void {
    const pull = this.pulls.get(number);
    if (pull?.state !== 'open') return;
    Object.assign(pull, { state: 'closed', merged, updated_at: this.time() });
    this.emit('pull_request', { action: 'closed', pull_request: this.#pullPayload(pull) }, by);
  }

  reviewsOf({ node_id }: Pick<Pull, 'node_id'>): FakeReviews {
    const known = this.reviews.get(node_id);
    if (known) return known;
    const reviews = new FakeReviews(
      () => this.nextId(),
      () => this.time(),
    );
    this.reviews.set(node_id, reviews);
    return reviews;
  }

  /** A person reviews a pull request that is open. */
  requestChanges(pull: Pull, by: string, body: string, remarks: readonly string[]): PullReview {
    const review = this.reviewsOf(pull).request(by, body, remarks);
    pull.updated_at = this.time();
    const { id, node_id, url: html_url } = review;
    const sent = { id, node_id, body, state: 'changes_requested', html_url };
    this.emit(
      'pull_request_review',
      { action: 'submitted', review: sent, pull_request: this.#pullPayload(pull) },
      by,
    );
    return review;
  }

  /** A person commits a file of their own. */
  push(pull: Pull): void {
    const path = `by-hand-${this.pushed.length}.txt`;
    const files = [{ path, mode: '100644' as const, content: '' }];
    const commit = this.#addCommit({ parent: pull.head_sha, message: 'By hand', files });
    this.#moveBranch(pull.branch, commit);
    this.pushed.push({ branch: pull.branch, commit });
    pull.updated_at = this.time();
  }

  /** A person pushes to the base: a file of its own, or the one that the work is about. */
  pushBase(by: string, conflicts: boolean): void {
    const path = conflicts ? 'src/login.ts' : `of-main-${this.commits.size}.txt`;
    const content = Buffer.from(`main ${this.commits.size}`).toString('base64');
    const files = [{ path, mode: '100644' as const, content }];
    this.head = this.#addCommit({ parent: this.head, message: 'Of main', files });
    this.emit('push', { ref: 'refs/heads/main' }, by);
  }

  /** A person ticks a box of the description. False if it is not there. */
  tick(pull: Pull, box: string, by: string): boolean {
    const from = pull.body;
    const open = `- [ ] <!-- autobuild:option id=${box} -->`;
    if (!from.includes(open)) return false;
    pull.body = from.replace(open, open.replace('[ ]', '[x]'));
    pull.updated_at = this.time();
    pull.edit = { at: pull.updated_at, by };
    const changes = { body: { from } };
    this.emit('pull_request', { action: 'edited', changes, pull_request: this.#pullPayload(pull) }, by);
    return true;
  }

  #addCommit(commit: FakeCommit): string {
    const id = sha(JSON.stringify([commit.parent, commit.merged, commit.message, commit.files]));
    this.commits.set(id, commit);
    return id;
  }

  #moveBranch(branch: string, commit: string): void {
    this.branches.set(branch, commit);
    for (const pull of this.pulls.values())
      if (pull.branch === branch && pull.state === 'open') pull.head_sha = commit;
  }

  /** Whether the first commit is the second or below it. */
  descends(below: string, commit: string | undefined): boolean {
    return commit !== undefined && this.#history(commit).has(below);
  }

  /** The commit and all below it, newest first. */
  #history(commit: string): Set<string> {
    const found = new Set([commit]);
    for (const one of found) {
      const { parent, merged } = this.commits.get(one) ?? {};
      for (const below of [parent, merged]) if (below !== undefined) found.add(below);
    }
    return found;
  }

  filesAt(commit: string): Map<string, string | null> {
    const { parent, merged, files } = this.commits.get(commit) ?? { files: [] };
    const below = merged ?? parent;
    const tree = below === undefined ? new Map<string, string | null>() : this.filesAt(below);
    for (const { path, content } of files) tree.set(path, content);
    return tree;
  }

  #mergeSides(head: string, base: string): MergeSides | undefined {
    const [ours, theirs] = [this.#history(head), this.#history(base)];
    const ancestor = [...ours].find((commit) => theirs.has(commit));
    if (ancestor === undefined) return undefined;
    const trees = [ancestor, head, base].map((commit) => this.filesAt(commit));
    const entry = (tree: Map<string, string | null> | undefined, path: string) => {
      const content = tree?.get(path);
      if (content === undefined || content === null) return undefined;
      const id = sha(`blob ${content}`);
      this.#blobs.set(id, content);
      return { mode: '100644', sha: id };
    };
    const paths = [...new Set(trees.flatMap((tree) => [...tree.keys()]))].map((path) => ({
      ...{ path, before: entry(trees[0], path) },
      ...{ head: entry(trees[1], path), base: entry(trees[2], path) },
    }));
    const only = (side: Set<string>, other: Set<string>) =>
      [...side]
        .filter((commit) => !other.has(commit))
        .map((commit) => ({ sha: commit, author: 'rosa', title: this.commits.get(commit)?.message ?? '' }));
    return {
      paths: paths.filter(
        ({ before, head: one, base: two }) => !(before?.sha === one?.sha && one?.sha === two?.sha),
      ),
      commits: { head: only(ours, theirs), base: only(theirs, ours) },
    };
  }

  /** Both sides have changed a file, each in its own way. */
  #conflicts({ head_sha }: Pick<Pull, 'head_sha'>): boolean {
    const sides = this.commits.has(this.head) ? this.#mergeSides(head_sha, this.head) : undefined;
    return sides !== undefined && changedOnBoth(sides).length > 0;
  }

  endRun(run: ActionsRun, conclusion: string): void {
    run.updated_at = this.time();
    if (run.status === 'completed') return;
    Object.assign(run, { status: 'completed', conclusion, ended: this.world.now });
    this.world.log(`actions: run ${run.id} ends, ${conclusion}`);
    this.emit(
      'workflow_run',
      {
        action: 'completed',
        workflow_run: { id: run.id, run_attempt: run.attempt, conclusion, updated_at: run.updated_at },
      },
      'rosa',
    );
  }

  /** GitHub as the App sees it, at once and without faults. */
  get api(): Record<string, (...args: never[]) => unknown> {
    this.#api ??= this.#offer();
    return this.#api;
  }

  #offer(): Record<string, (...args: never[]) => unknown> {
    return {
      permission: (login: string) => PEOPLE[login] ?? 'none',
      issue: (number: number) => this.#read(number),
      labelSpelling: (label: string, etag?: string) =>
        etag === label ? 'unchanged' : { name: label, etag: label },
      issuesWithLabel: (label: string, etags?: string[]) =>
        ifChanged(
          [...this.issues.keys()].flatMap((number) => {
            const issue = this.#read(number);
            return issue?.state === 'open' && issue.labels.includes(label) ? [issue] : [];
          }),
          etags,
        ),
      commentsOfAll: (since: string, etags?: string[], mostPages?: number) => {
        const all = [...this.comments.values()]
          .filter(({ updated_at }) => updated_at >= toSecond(since))
          .map((comment) => ({ ...copy(comment), number: comment.issue }))
          .toSorted((one, other) => other.updated_at.localeCompare(one.updated_at));
        const isCut = mostPages !== undefined && all.length > mostPages * SHORT_PAGE;
        if (!isCut) return ifChanged(all, etags);
        const listing = ifChanged(all.slice(0, mostPages * SHORT_PAGE), etags);
        return listing && { ...listing, isCut };
      },
      pullRequests: (_since?: string, etags?: string[]) =>
        ifChanged(
          [...this.pulls.values()]
            .map((pull) => ({ ...pull }))
            .toSorted((one, other) => other.updated_at.localeCompare(one.updated_at)),
          etags,
        ),
      issueEvents: (number: number) => structuredClone(this.issues.get(number)?.events ?? []),
      comments: (number: number, since?: string) =>
        [...this.comments.values()]
          .filter(({ issue, updated_at }) => issue === number && (!since || updated_at >= toSecond(since)))
          .map(copy),
      comment: (id: number) => {
        const found = this.comments.get(id);
        return found && copy(found);
      },
      createComment: (issue: number, body: string) => copy(this.write(issue, body, BOT)),
      updateComment: (id: number, body: string) => {
        const edited = this.edit(id, body, BOT);
        return edited && copy(edited);
      },
      deleteComment: (id: number) => this.remove(id, BOT),
      minimizeComment: () => undefined,
      lastEdit: (node: string) => {
        const pull = [...this.pulls.values()].find(({ node_id }) => node_id === node);
        if (pull) return pull.edit ?? {};
        const issue = [...this.issues.values()].find(({ node_id }) => node_id === node);
        if (issue) return issue.edit ?? {};
        const comment = [...this.comments.values()].find(({ node_id }) => node_id === node);
        return comment?.edits.at(-1) ?? {};
      },
      react: (id: number, reaction: string) => {
        const comment = this.comments.get(id);
        if (!comment) throw new GitHubError('Not Found', { status: 404 });
        if (!comment.reactions.includes(reaction)) comment.reactions.push(reaction);
      },
      reactToReview: () => undefined,
      changeLabels: (issue: number, { add, remove }: { add: string; remove: string[] }) => {
        this.setLabel(issue, add, BOT);
        for (const label of remove) this.unsetLabel(issue, label, BOT);
      },
      removeLabel: (issue: number, label: string) => this.unsetLabel(issue, label, BOT),
      labelExists: () => true,
      commitMessage: (commit: string) => this.commits.get(commit)?.message ?? 'Merge',
      defaultBranch: () => ({
        name: 'main',
        sha: this.head,
        private: false,
        archived: false,
        repo_id: REPO_ID,
      }),
      file: (path: string) => (path === '.github/autobuild.yml' ? this.config : undefined),
      dispatchWorkflow: (_workflow: string, _ref: string, inputs: Record<string, string>) =>
        this.#dispatch(inputs),
      workflow: () => 'there',
      workflowRun: (id: number) => {
        const run = this.runs.find((one) => one.id === id);
        return run && { ...run };
      },
      workflowRuns: (_workflow: string, since: string) =>
        this.runs.filter(({ created_at }) => created_at >= toSecond(since)).map((run) => ({ ...run })),
      /** No job here ever runs out of time. */
      workflowJobs: () => [],
      jobMessages: () => [],
      cancelRun: (id: number) => {
        const run = this.runs.find((one) => one.id === id);
        if (run && run.status !== 'completed') this.onCancel(run);
      },
      branchHead: (branch: string) => (branch === 'main' ? this.head : this.branches.get(branch)),
      createCommit: (parent: string, message: string, files: CommitFile[], merged?: string) =>
        this.#addCommit({ parent, message, files, ...(merged !== undefined && { merged }) }),
      mergeSides: (head: string, base: string) => this.#mergeSides(head, base),
      hasCommit: (head: string, commit: string) => this.descends(commit, head),
      blob: (id: string) => this.#blobs.get(id),
      commitsOf: () => [],
      forbidsMerges: () => false,
      moveBranch: (branch: string, commit: string, force: boolean, seen?: string) => {
        const head = this.branches.get(branch);
        // A desk looks right before a forced move, and a new branch can be made once.
        if (head !== commit && head !== seen && (force || seen === undefined))
          throw new GitHubError('The branch has moved meanwhile', { status: 409 });
        if (!force && head !== undefined && !this.descends(head, commit))
          throw new GitHubError('Update is not a fast forward', { status: 422 });
        this.#moveBranch(branch, commit);
      },
      replacedFiles: () => [],
      changedFiles: (before: string, after: string) => {
        const [old, now] = [this.filesAt(before), this.filesAt(after)];
        return [...new Set([...old.keys(), ...now.keys()])].filter((path) => old.get(path) !== now.get(path));
      },
      pullRequestOf: (branch: string) => {
        const found = [...this.pulls.values()].filter((pull) => pull.branch === branch);
        const pull = found.find(({ state }) => state === 'open') ?? found.at(-1);
        return pull && { ...pull };
      },
      pullRequest: (number: number) => {
        const pull = this.pulls.get(number);
        return pull && { ...pull, mergeable: !this.#conflicts(pull) };
      },
      withoutReview: (nodeIds: string[]) =>
        new Set(
          [...this.pulls.values()].flatMap((pull) =>
            nodeIds.includes(pull.node_id) && this.#at(pull.number).reviews.length === 0
              ? [pull.node_id]
              : [],
          ),
        ),
      reviews: (number: number) => this.#at(number).submitted(),
      reviewedPull: (number: number) => this.#reviewed(number),
      beginReview: (pull: string) => this.reviewsOf({ node_id: pull }).begin(),
      repliesInReview: (review: string) =>
        [...this.reviews.values()].flatMap((each) => each.repliesIn(review)),
      replyInReview: (review: string, replies: readonly { thread: string; body: string }[]) => {
        const failed = replies.filter(({ thread, body }) => {
          if (this.world.faults.happens('one reply of several fails', 0.02)) return true;
          for (const each of this.reviews.values()) each.reply(review, thread, body);
          return false;
        });
        if (failed.length > 0) throw new GitHubError('Something went wrong', { status: 502 });
        return [];
      },
      replyToRemark: (number: number, comment: number, body: string) => {
        this.#at(number).replyTo(comment, body);
        return true;
      },
      submitReview: (review: string, body: string) => {
        for (const each of this.reviews.values()) each.submit(review, body);
      },
      requestReview: () => undefined,
      pullCi: (number: number) => this.#ci(number),
      createPullRequest: (options: { branch: string; body: string; draft: boolean }) =>
        this.#openPull(options),
      updatePullRequest: (number: number, change: { body?: string }) => {
        Object.assign(this.pulls.get(number) ?? {}, change);
      },
      markReady: (node: string, body?: string) => {
        const pull = [...this.pulls.values()].find(({ node_id }) => node_id === node);
        if (!pull) return;
        Object.assign(pull, { draft: false, ...(body !== undefined && { body }) });
        this.onReady(pull.number);
      },
      upsertCheckRun: () => undefined,
      secretExists: () => false,
    };
  }

  #dispatch(inputs: Record<string, string>): { run_id?: number } {
    if (this.world.faults.happens('a dispatch starts nothing', 0.04)) return {};
    const id = this.nextId();
    const run: ActionsRun = {
      id,
      commit: 'c0',
      status: 'queued',
      conclusion: null,
      attempt: 1,
      name: `autobuild #${inputs.issue} ${inputs.kind} ${inputs.operation}`,
      created_at: this.time(),
      updated_at: this.time(),
      url: `https://github.test/actions/${id}`,
      inputs,
      cancelled: false,
      queued: this.world.now,
    };
    this.runs.push(run);
    this.onDispatch(run);
    return this.world.faults.happens('dispatch answered without a run id', 0.2) ? {} : { run_id: id };
  }

  #openPull({ branch, body, draft }: { branch: string; body: string; draft: boolean }): PullRequest {
    const open = [...this.pulls.values()].find((pull) => pull.branch === branch && pull.state === 'open');
    if (open) throw new GitHubError('A pull request already exists.', { status: 422 });
    const number = 500 + this.pulls.size;
    const pull: Pull = {
      number,
      node_id: `PR_${number}`,
      state: 'open',
      draft,
      merged: false,
      head_sha: this.branches.get(branch) ?? '',
      body,
      updated_at: this.time(),
      url: `https://github.test/pull/${number}`,
      branch,
    };
    this.pulls.set(number, pull);
    if (!draft) this.onReady(number);
    return { ...pull };
  }

  #reviewed(number: number): ReviewedPull | undefined {
    const pull = this.pulls.get(number);
    if (!pull) return undefined;
    return {
      node_id: pull.node_id,
      head_sha: pull.head_sha,
      base_ref: 'main',
      base_sha: this.head,
      state: pull.merged ? 'MERGED' : pull.state === 'open' ? 'OPEN' : 'CLOSED',
      is_draft: pull.draft,
      is_queued: false,
      mergeable: this.#conflicts(pull) ? 'CONFLICTING' : 'MERGEABLE',
      ...this.reviewsOf(pull).seen(),
    };
  }

  #at(number: number): FakeReviews {
    const pull = this.pulls.get(number);
    if (!pull) throw new GitHubError('Not Found', { status: 404 });
    return this.reviewsOf(pull);
  }

  /** The repository has no CI. */
  #ci(number: number): PullCi | undefined {
    const pull = this.pulls.get(number);
    if (!pull) return undefined;
    const { state, head_sha: head } = pull;
    const is_open = state === 'open';
    return { is_open, head, message: 'Work', base: 'main', mergeable: 'MERGEABLE', suites: [], statuses: [] };
  }

  #read(number: number): GitHubIssue | undefined {
    const issue = this.issues.get(number);
    if (!issue) return undefined;
    const comments = [...this.comments.values()].filter((comment) => comment.issue === number).length;
    return { ...structuredClone(issue), comments };
  }

  #issue(number: number): Issue {
    const issue = this.issues.get(number);
    if (!issue) throw new Error(`There is no issue ${number}.`);
    return issue;
  }

  #touch(number: number): void {
    const issue = this.issues.get(number);
    if (issue) issue.updated_at = this.time();
  }

  #happened(number: number, event: string, actor: string, label?: string): void {
    const isBot = actor === BOT;
    this.#touch(number);
    this.#issue(number).events.push({
      id: this.nextId(),
      event,
      actor,
      actor_type: isBot ? 'Bot' : 'User',
      app_id: isBot ? APP_ID : undefined,
      label,
      created_at: this.time(),
    });
  }

  #commentPayload({
    id,
    node_id,
    body,
    author,
    author_type,
    app_id,
    created_at,
    updated_at,
    issue,
  }: Comment) {
    return {
      issue: this.issues.has(issue) ? this.issuePayload(issue) : { number: issue, pull_request: {} },
      comment: {
        id,
        node_id,
        body,
        user: { login: author, type: author_type },
        performed_via_github_app: app_id === undefined ? null : { id: app_id },
        created_at,
        updated_at,
      },
    };
  }

  #pullPayload({ number, merged, body, updated_at, branch }: Pull) {
    return { number, merged, body, updated_at, head: { ref: branch, repo: { id: REPO_ID } } };
  }
}

function copy({ reactions: _, edits: _edits, issue: _issue, ...comment }: Comment): GitHubComment {
  return { ...comment };
}

function toSecond(at: string): string {
  return new Date(Math.floor(Date.parse(at) / 1000) * 1000).toISOString().replace('.000Z', 'Z');
}

/** A list, unless it is the one that the ETag is of. */
/** Comments on a page, so few that lists are cut. */
const SHORT_PAGE = 6;

function ifChanged<Item>(items: Item[], [known]: string[] = []): Listing<Item> | undefined {
  const etag = sha(JSON.stringify(items));
  return known === etag ? undefined : { items, etags: [etag] };
}

export function sha(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}

export const WRITES = new Set([
  'createComment',
  'updateComment',
  'deleteComment',
  'minimizeComment',
  'react',
  'changeLabels',
  'removeLabel',
  'dispatchWorkflow',
  'cancelRun',
  'createCommit',
  'moveBranch',
  'createPullRequest',
  'updatePullRequest',
  'markReady',
  'beginReview',
  'replyInReview',
  'replyToRemark',
  'submitReview',
  'requestReview',
  'upsertCheckRun',
]);

/** Calls one method of GitHub over the network. */
export type CallGitHub = (method: string, args: readonly unknown[]) => Promise<unknown>;

/** The port of one desk. Every call is a message that may be late, refused, or lost on either way. */
export function connectGitHub(call: CallGitHub): GitHub {
  const commit: GitHub['commit'] = async (options) => {
    const { branch, parent, merged, message, files, force, present, onCreated } = options;
    const created = (await call('createCommit', [parent, message, files, merged])) as string;
    await onCreated?.(created);
    const seen = present ? present.head : await call('branchHead', [branch]);
    await call('moveBranch', [branch, created, force, seen]);
    return { sha: created, verified: true };
  };
  return new Proxy({} as GitHub, {
    get(_target, name) {
      if (name === 'owner') return OWNER;
      if (name === 'repo') return REPO;
      if (name === 'commit') return commit;
      // A promise may resolve to the port, so it must not look like one.
      if (name === 'then') return undefined;
      return (...args: unknown[]) => call(String(name), args);
    },
  });
}
