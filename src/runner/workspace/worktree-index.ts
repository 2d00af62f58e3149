import { lstat, mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { mapConcurrently } from '../../core/map-concurrently.ts';
import { isGitName } from '../../core/work/worktree-path.ts';
import { listSpecial } from '../disk/list-special.ts';
import { blobName, type StandInNames, standInText } from './stand-in.ts';
import { splitNul } from './tree-diff.ts';
import { GitFailedError, type TrustedGit } from './trusted-git.ts';
import { createExaminer, type Found, hashContent } from './worktree-entry.ts';

const FILES_AT_ONCE = 64;
const MAX_EMBEDDED = 200;
/** From this many files on, one pack is faster than a loose object for each: 1.3 s instead of 5.7 s for 10,000 files. */
const MANY = 200;
const MAX_STUBBORN = 64;
const MAX_REMEMBERED = 20_000;
const SETTLED_MS = 100;

/** The name and content a file of the worktree would have in a tree. */
type Identity = { name: string; mode: string; id: string };

/** The trusted index is a stat cache over the worktree, so that only changed files are read. */
export class WorktreeIndex {
  readonly #git: TrustedGit;
  readonly #names: StandInNames;
  readonly #maxContentBytes: number;
  readonly #excluded: string;
  readonly #hashes = new Map<string, { seen: string; id: string }>();

  constructor(git: TrustedGit, names: StandInNames, options: { excluded: string; maxContentBytes: number }) {
    this.#git = git;
    this.#names = names;
    this.#excluded = options.excluded;
    this.#maxContentBytes = options.maxContentBytes;
  }

  /** Lists paths whose content may differ from the index. It is cheap, because it compares stat data only and writes nothing. */
  async listSuspects(): Promise<string[]> {
    const [dirty, untracked] = await Promise.all([
      this.#git.run(['diff-files', '--name-only', '-z', '--ignore-submodules=all']),
      this.#listUntracked(),
    ]);
    const tracked = splitNul(dirty.text).map((name) => this.#names.decode(name));
    return [...new Set([...tracked, ...untracked])].filter((path) => !this.#isExcluded(path));
  }

  /** Lists pipes, sockets and devices, which git never shows, unless it ignores them. */
  async listSpecial(): Promise<string[]> {
    const ignored = await this.#git.run([
      ...['ls-files', '--others', '--ignored', '--exclude-standard', '--directory', '-z'],
    ]);
    const without = splitNul(ignored.text).map((name) => name.replace(/\/$/, ''));
    const found = await listSpecial(this.#git.worktree, new Set([this.#excluded, ...without]));
    if (found.length === 0) return [];
    // This command knows no literal paths. With the dot no name is taken for a pattern.
    const { text } = await this.#git.run(['--no-literal-pathspecs', 'check-ignore', '-z', '--stdin'], {
      input: found.map((path) => `./${path}\0`).join(''),
      // It means that none is ignored.
      accept: 1,
    });
    const named = new Set(splitNul(text));
    return found.filter((path) => !named.has(`./${path}`));
  }

  /** The current identity of each path. Paths that do not exist are left out. */
  async identify(paths: readonly string[]): Promise<Map<string, Identity>> {
    const examine = this.#createExaminer();
    const identities = new Map<string, Identity>();
    await mapConcurrently(paths, FILES_AT_ONCE, async (path) => {
      const found = await examine(path);
      if (found.kind === 'absent') return;
      identities.set(
        path,
        found.kind === 'stand_in'
          ? { name: this.#names.encode(path), mode: '100644', id: blobName(found.text) }
          : { name: path, mode: found.mode, id: await this.#hash(path, found) },
      );
    });
    return identities;
  }

  /** Updates the index to the current worktree, and adds these paths to it. A path in it stays there, also if git ignores it. */
  async sync(paths: readonly string[] = []): Promise<void> {
    const [found, listed] = await Promise.all([this.listSuspects(), this.#git.run(['ls-files', '-z'])]);
    const suspects = [...found, ...paths];
    const indexed = new Set(splitNul(listed.text));
    const examine = this.#createExaminer();
    const planted = await this.#findPlantedRepositories([...indexed, ...suspects]);
    const remove = new Set<string>();
    const standIns = new Map<string, string>();
    const content: string[] = [];
    await mapConcurrently([...new Set([...suspects, ...planted])], FILES_AT_ONCE, async (path) => {
      const found = await examine(path);
      const marked = this.#names.encode(path);
      for (const name of [path, marked]) if (indexed.has(name)) remove.add(name);
      if (found.kind === 'stand_in') standIns.set(marked, found.text);
      if (found.kind === 'content') {
        // The entry keeps its stat data, because git replaces it itself.
        remove.delete(path);
        content.push(path);
      }
    });
    await this.#writeStandIns(remove, standIns);
    await this.#addContent(content, { left: MAX_STUBBORN });
  }

  #createExaminer(): (path: string) => Promise<Found> {
    const examine = createExaminer(this.#git.worktree, this.#maxContentBytes);
    return async (path) => {
      const found = await examine(path);
      // A name that is not UTF-8 cannot be decoded back to its file, but the file must not be hidden by that.
      if (found.kind === 'absent' && path.includes('\uFFFD')) {
        return { kind: 'stand_in', text: standInText('name that is not UTF-8') };
      }
      return found;
    };
  }

  #isExcluded(path: string): boolean {
    return path === this.#excluded || path.startsWith(`${this.#excluded}/`);
  }

  /** Also searches repositories inside the worktree, because git skips them and an agent could hide files by planting one. */
  async #listUntracked(): Promise<string[]> {
    const found: string[] = [];
    const pending = [''];
    for (let looked = 0; pending.length > 0; looked += 1) {
      const prefix = pending.pop() ?? '';
      const within = prefix === '' ? {} : await this.#embedded(prefix);
      if (within === undefined || looked > MAX_EMBEDDED) {
        found.push(`${prefix}.git`);
        continue;
      }
      const output = await this.#git.run(['ls-files', '--others', '--exclude-standard', '-z'], within);
      for (const name of splitNul(output.text)) {
        if (!name.endsWith('/')) found.push(prefix + name);
        else {
          found.push(`${prefix}${name}.git`);
          pending.push(prefix + name);
        }
      }
    }
    return found;
  }

  async #embedded(prefix: string): Promise<{ worktree: string; indexFile: string } | undefined> {
    const worktree = join(this.#git.worktree, prefix);
    const stats = await lstat(worktree).catch(() => undefined);
    return stats?.isDirectory() ? { worktree, indexFile: join(this.#git.gitDir, 'index.none') } : undefined;
  }

  /** Git never lists a `.git` below the top, so each directory is checked for one. */
  async #findPlantedRepositories(names: readonly string[]): Promise<string[]> {
    const directories = new Set<string>();
    for (const name of names) {
      for (
        let dir = dirname(this.#names.decode(name));
        dir !== '.' && !directories.has(dir);
        dir = dirname(dir)
      ) {
        if (!dir.split('/').some(isGitName)) directories.add(dir);
        else break;
      }
    }
    const planted: string[] = [];
    await mapConcurrently([...directories], FILES_AT_ONCE, async (dir) => {
      const path = `${dir}/.git`;
      if (await lstat(join(this.#git.worktree, path)).catch(() => undefined)) planted.push(path);
    });
    return planted;
  }

  async #writeStandIns(remove: ReadonlySet<string>, standIns: ReadonlyMap<string, string>): Promise<void> {
    if (remove.size === 0 && standIns.size === 0) return;
    let input = '';
    for (const name of remove) input += `0 ${'0'.repeat(40)}\t${name}\0`;
    for (const [name, text] of standIns) {
      input += `100644 ${await writeLooseBlob(this.#git.gitDir, text)}\t${name}\0`;
    }
    await this.#git.run(['update-index', '--add', '--replace', '-z', '--index-info'], { input });
  }

  /** A path that git cannot read fails the whole batch, so the batch is halved until only unreadable paths are left. */
  async #addContent(paths: readonly string[], stubborn: { left: number }): Promise<void> {
    if (paths.length === 0) return;
    try {
      await this.#git.run(['update-index', '--add', '--remove', '--replace', '-z', '--stdin'], {
        settings: paths.length >= MANY && this.#git.canPackMany ? ['core.bigFileThreshold=1'] : [],
        input: paths.map((path) => `${path}\0`).join(''),
      });
    } catch (error) {
      if (!(error instanceof GitFailedError) || /No space left|quota/i.test(error.message)) throw error;
      if (paths.length > 1) {
        const middle = Math.ceil(paths.length / 2);
        await this.#addContent(paths.slice(0, middle), stubborn);
        await this.#addContent(paths.slice(middle), stubborn);
        return;
      }
      stubborn.left -= 1;
      if (stubborn.left < 0) throw error;
      const path = paths[0] ?? '';
      await this.#writeStandIns(
        new Set([path]),
        new Map([[this.#names.encode(path), standInText('unreadable file')]]),
      );
    }
  }

  async #hash(path: string, found: Extract<Found, { kind: 'content' }>): Promise<string> {
    const { ino, size, mtimeNs, ctimeNs } = found.stats;
    const seen = `${ino} ${size} ${mtimeNs} ${ctimeNs}`;
    const known = this.#hashes.get(path);
    if (known?.seen === seen) return known.id;
    try {
      const id = await hashContent(join(this.#git.worktree, path), found.mode, this.#maxContentBytes);
      if (this.#hashes.size > MAX_REMEMBERED) this.#hashes.clear();
      // A file written twice within one tick of the clock has the same stats, so a hash is only cached after that.
      if (Date.now() - Number(ctimeNs / 1_000_000n) > SETTLED_MS) this.#hashes.set(path, { seen, id });
      return id;
    } catch (error) {
      // The file changed while it was read, so it counts as changed. The next look will hash it.
      return `unread: ${(error as NodeJS.ErrnoException).code}`;
    }
  }
}

/** Writes a small blob as a loose object, without a git process for each. */
async function writeLooseBlob(gitDir: string, text: string): Promise<string> {
  const id = blobName(text);
  const dir = join(gitDir, 'objects', id.slice(0, 2));
  const temporary = join(gitDir, 'objects', `tmp_obj_${id}`);
  await mkdir(dir, { recursive: true });
  await writeFile(temporary, deflateSync(`blob ${Buffer.byteLength(text)}\0${text}`), {
    mode: 0o444,
    flag: 'w',
  });
  await rename(temporary, join(dir, id.slice(2)));
  return id;
}
