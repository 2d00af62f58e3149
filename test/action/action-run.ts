import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { git } from '../runner/temporary-worktree.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const PATH = `${process.execPath.replace(/\/[^/]+$/, '')}:/usr/local/bin:/usr/bin:/bin`;

export interface Ended {
  code: number | null;
  out: string;
  summary: string;
  outputs: Record<string, string>;
  worktree: string;
}

/** The unmodified bundle, run as the Actions runner runs it: each job on a checkout and a temporary directory of its own. */
export class ActionRunner {
  readonly top = mkdtempSync(join(tmpdir(), 'autobuild-action-'));
  #jobs = 0;
  #children = new Set<ReturnType<typeof spawn>>();

  async bundle(): Promise<void> {
    const { code, out } = await this.#run(
      [join(ROOT, 'scripts/bundle.mjs'), join(this.top, 'dist')],
      { PATH },
      ROOT,
    );
    if (code !== 0) throw new Error(`the bundle failed: ${out}`);
  }

  /** `event`: what stands in the event file; left out, there is none. */
  async run(job: {
    event?: unknown;
    origin?: string;
    env?: Record<string, string>;
    /** Puts files into the runner's directory for temporary ones, as steps before the action do. */
    prepare?(temporary: string): void;
    /** False for a version of the action that has no `pre` step. */
    pre?: false;
  }): Promise<Ended> {
    this.#jobs += 1;
    const place = join(this.top, `job-${this.#jobs}`);
    const worktree = join(place, 'work', 'repo');
    mkdirSync(join(place, 'temp'), { recursive: true });
    if (job.origin) git(job.origin, 'clone', '-q', job.origin, worktree);
    else mkdirSync(worktree, { recursive: true });
    job.prepare?.(join(place, 'temp'));
    const file = (name: string) => join(place, name);
    if (job.event !== undefined) writeFileSync(file('event.json'), JSON.stringify(job.event));
    const env = {
      PATH,
      HOME: place,
      GITHUB_WORKSPACE: worktree,
      GITHUB_RUN_ID: String(1000 + this.#jobs),
      GITHUB_RUN_ATTEMPT: '1',
      RUNNER_TEMP: join(place, 'temp'),
      GITHUB_STEP_SUMMARY: file('summary'),
      GITHUB_OUTPUT: file('output'),
      ...(job.event === undefined ? {} : { GITHUB_EVENT_PATH: file('event.json') }),
      ...job.env,
    };
    const step = (name: string, state: Record<string, string> = {}) =>
      this.#run([join(this.top, 'dist', name)], { ...env, ...state }, worktree);
    // As the runner does: a job whose `pre` step fails ends.
    const pre =
      job.pre === false ? { code: 0, out: '' } : await step('action-pre.js', { GITHUB_STATE: file('state') });
    const saved = readOutputs(existsSync(file('state')) ? readFileSync(file('state'), 'utf8') : '');
    const state = Object.fromEntries(Object.entries(saved).map(([name, value]) => [`STATE_${name}`, value]));
    const main = pre.code === 0 ? await step('action.js', state) : pre;
    const code = main.code;
    const out = main === pre ? pre.out : pre.out + main.out;
    const read = (name: string) => (existsSync(file(name)) ? readFileSync(file(name), 'utf8') : '');
    return { code, out, worktree, summary: read('summary'), outputs: readOutputs(read('output')) };
  }

  /** Whether the newest job's checkout has the file. */
  exists(path: string): boolean {
    return existsSync(join(this.top, `job-${this.#jobs}`, 'work', 'repo', path));
  }

  /** As Actions does when a run is cancelled. */
  interrupt(): void {
    for (const child of this.#children) child.kill('SIGINT');
  }

  close(): void {
    for (const child of this.#children) child.kill('SIGKILL');
    rmSync(this.top, { recursive: true, force: true });
  }

  #run(
    args: string[],
    env: Record<string, string>,
    cwd: string,
  ): Promise<{ code: number | null; out: string }> {
    const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#children.add(child);
    let out = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        out += chunk;
      });
    return new Promise((resolve) => {
      child.on('close', (code) => {
        this.#children.delete(child);
        resolve({ code, out });
      });
    });
  }
}

function readOutputs(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/^([\w-]+)<<(\w+)\n(.*)\n\2$/gm)].map(([, name, , value]) => [name, value]),
  );
}
