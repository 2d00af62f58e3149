import { openUserGit } from '../user-git.ts';

/** The repository on GitHub that a remote leads to. */
export interface Remote {
  /** Its name in git. */
  name: string;
  host: string;
  /** `OWNER/NAME`. */
  repository: string;
}

const ADDRESS =
  /^(?:https?:\/\/(?:[^@/]*@)?|ssh:\/\/(?:[\w-]+@)?|git:\/\/|[\w-]+@)(?<host>[\w.-]+)(?::\d+(?=\/))?[:/](?<repository>[A-Za-z0-9][\w-]{0,38}\/[\w.-]{1,100}?)(?:\.git)?\/?$/;

/** The remote `origin`, or the only one. Undefined if it leads to no `OWNER/NAME`. */
export async function findRemote(top: string, env: Record<string, string>): Promise<Remote | undefined> {
  const git = openUserGit(env);
  const listed = await git.run(top, 'remote');
  const names = listed.ok ? listed.text.split('\n').filter(Boolean) : [];
  const name = names.includes('origin') ? 'origin' : names.length === 1 ? names[0] : undefined;
  if (name === undefined) return undefined;
  // As it was written, not as git would rewrite it.
  const { ok, text } = await git.run(top, 'config', '--get', `remote.${name}.url`);
  const { host, repository } = (ok && ADDRESS.exec(text.trim())?.groups) || {};
  return host && repository ? { name, host, repository } : undefined;
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
