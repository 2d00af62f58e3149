import { afterEach, beforeEach } from 'vitest';
import type { RunningRevision } from '../../src/core/contracts/run-state.ts';
import type { NewRemark } from '../../src/sandbox/person.ts';
import type { Run, RunOptions } from '../core/run-builder.ts';
import { type AppDesk, openAppDesk } from './app-desk.ts';
import type { Published } from './published-run.ts';
import { finishRound, remarkUnseen, restOnPull, takeRound } from './revise-desk.ts';

/** A run that rests on a pull request which is ready, and what people and jobs do there. */
interface ReviseScene {
  desk: AppDesk;
  work: Published & { number: number };
  branch: string;
  /** Remarks of walter that the desk is not told of. */
  remark(...remarks: NewRemark[]): Promise<void>;
  /** Somebody's words on the pull request, and the round that they begin. */
  begin(words?: string, login?: string): Promise<RunningRevision | undefined>;
  /** A job takes the round that has begun and finishes it. */
  finish(end?: { run?: Run; text?: string; remarks?: object[] }): Promise<void>;
  /** The same, and GitHub does not take the work. */
  finishUnpublished(end?: { run?: Run; remarks?: object[] }): Promise<void>;
  /** All comments on the issue and the pull request. */
  said(): Promise<string>;
  described(): Promise<string>;
  /** The work as it is stored. */
  changeset(): Promise<{ base_sha: string; files: { path: string; content: string | null }[] }>;
  /** A call to GitHub's API for refs, commits and trees, as somebody who may do everything. */
  git<Body>(method: string, path: string, body?: object): Promise<Body>;
}

/** Made before each test of the file that calls this, and closed after it. */
export function useReviseScene(options: RunOptions = {}): ReviseScene {
  const scene: ReviseScene = {
    desk: undefined as unknown as AppDesk,
    work: undefined as unknown as ReviseScene['work'],
    branch: '',
    remark: (...remarks) => remarkUnseen(scene.desk, scene.work.number, remarks),
    async begin(words = '/continue', login = 'walter') {
      await scene.desk.person(login).comment(scene.work.number, words);
      await scene.desk.settle();
      return (await scene.desk.state()).revision;
    },
    async finish({ run, text = 'two\n', remarks = [] } = {}) {
      const { desk, work } = scene;
      await finishRound(desk, run ?? (await takeRound(desk, work.run)), { text, remarks });
    },
    async finishUnpublished({ run, remarks } = {}) {
      scene.desk.interfere(({ method, path }) =>
        method === 'POST' && path.endsWith('/git/commits')
          ? { status: 422, body: { message: 'Not today' } }
          : undefined,
      );
      await scene.finish({ run, remarks });
      scene.desk.interfere(() => undefined);
      const { unpublished } = await scene.desk.store.publications.of('r1');
      if (!unpublished) throw new Error('The work was published.');
    },
    async said() {
      const { desk, work } = scene;
      const comments = [
        ...(await desk.olivia.comments(work.issue)),
        ...(await desk.olivia.comments(work.number)),
      ];
      return comments.map(({ body }) => body).join('\n');
    },
    described: async () => (await scene.work.pull()).body,
    async changeset() {
      const bytes = await scene.desk.store.blobs.get('r1', 'changeset');
      return JSON.parse(new TextDecoder().decode(bytes));
    },
    async git<Body>(method: string, path: string, body?: object) {
      return (await scene.desk.github.upstream(method, `/repos/olivia/shop/git${path}`, body)).body as Body;
    },
  };
  beforeEach(async () => {
    scene.desk = await openAppDesk();
    scene.work = await restOnPull(scene.desk, options);
    scene.branch = `autobuild/issue-${scene.work.issue}`;
  });
  afterEach(() => scene.desk?.close());
  return scene;
}
