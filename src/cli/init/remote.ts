import { openUserGit } from '../user-git.ts';

/** The repository on GitHub that a remote leads to. */
export interface Remote {
  /** Its name in git. */
  name: string;
  host: string;
  /** `OWNER/NAME`. */
  repository: string;
}

const GITHUB = 'github.com';
const MAX_REMOTES = 20;
const ADDRESS =
  /^(?:https?:\/\/(?:[^@/]*@)?|ssh:\/\/(?:[\w-]+@)?|git:\/\/|[\w-]+@)(?<host>[\w.-]+)(?::\d+(?=\/))?[:/](?<repository>[A-Za-z0-9][\w-]{0,38}\/[\w.-]{1,100}?)(?:\.git)?\/?$/;

/** Hosts of others. Any other name may be that of a GitHub Enterprise Server. */
const NOT_GITHUB =
  /(?:^|\.)(?:sr\.ht|azure\.com|visualstudio\.com|sourceforge\.net|savannah\.gnu\.org|salsa\.debian\.org)$|gitlab|bitbucket|codeberg|gitea|gitee|forgejo|gerrit|codecommit|googlesource/i;
/** GitHub's second name for itself, where only its port gets through. */
const SSH_ALIAS = /^ssh\.(?=github\.com$)/i;

interface FoundRemote {
  /** Undefined if no remote leads to an `OWNER/NAME` on GitHub, or it is not clear which one to take. */
  remote?: Remote;
  /** A remote that leads elsewhere, if there is none on GitHub. */
  elsewhere?: Remote;
}

/** The remote `origin`, or the only one; or, where that leads to the host of others, the only one on GitHub. */
export async function findRemote(top: string, env: Record<string, string>): Promise<FoundRemote> {
  const git = openUserGit(env);
  const listed = await git.run(top, 'remote');
  const names = listed.ok ? listed.text.split('\n').filter(Boolean) : [];
  const read = async (name: string): Promise<Remote | undefined> => {
    // As it was written, not as git would rewrite it.
    const { ok, text } = await git.run(top, 'config', '--get', `remote.${name}.url`);
    const { host, repository } = (ok && ADDRESS.exec(text.trim())?.groups) || {};
    return host && repository ? { name, host: host.replace(SSH_ALIAS, ''), repository } : undefined;
  };
  const name = names.includes('origin') ? 'origin' : names.length === 1 ? names[0] : undefined;
  const first = name === undefined ? undefined : await read(name);
  if (first && !NOT_GITHUB.test(first.host)) return { remote: first };
  const others: Remote[] = [];
  for (const other of names.filter((candidate) => candidate !== name).slice(0, MAX_REMOTES)) {
    const found = await read(other);
    if (found?.host === GITHUB) others.push(found);
  }
  return others.length === 1 ? { remote: others[0] } : { elsewhere: first };
}

/** True if the host is GitHub's own by its name. An Enterprise Server may have any. */
export function isKnownAsGitHub({ host }: Remote): boolean {
  return host === GITHUB || /github|\.ghe\.com$/i.test(host);
}

/** The branch that is checked out, if git knows that the default branch is another one. */
export async function findOtherBranch(
  top: string,
  remote: Remote,
  env: Record<string, string>,
): Promise<string | undefined> {
  const git = openUserGit(env);
  const here = await git.run(top, 'symbolic-ref', '--short', 'HEAD');
  const preset = await git.run(top, 'symbolic-ref', '--short', `refs/remotes/${remote.name}/HEAD`);
  const branch = here.ok ? here.text.trim() : '';
  const isOther = preset.ok && preset.text.trim() !== `${remote.name}/${branch}`;
  return branch && isOther ? branch : undefined;
}
