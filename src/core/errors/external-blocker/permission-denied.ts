import type { ExternalBlocker } from '../../contracts/verification.ts';
import type { BlockerContext } from './blocker-finder.ts';

type Denied = Extract<ExternalBlocker, { kind: 'permission_denied' }>;
type Operation = Denied['operation'];

const HINT =
  /permission|eacces|eperm|not permitted|accessdenied|write access to repository|could not read username/i;

const WRITING =
  /^(?:mkdir|rmdir|unlink|rename|chmod|l?chown|copyfile|symlink|link|write|f?truncate|[fl]?utimes?|remove|mkdtemp|touch|rm|mv|tee|ln|install|truncate|dd)$/;
const READING =
  /^(?:open|scandir|stat|lstat|fstat|access|readlink|opendir|realpath|read|readdir|watch|cat|head|tail|less|more|source|\.|wc|sort|diff|sed|awk|jq|sha256sum|tar|node|python3?)$/;
const EXECUTING = /^(?:spawn|exec\w*|fork\/exec|posix_spawn|uv_spawn)$/;
/** Programs that walk whole trees, where an unreadable directory is normal. */
const WALKERS = new Set(['find', 'grep', 'egrep', 'rg', 'du', 'tree', 'fd', 'ls', 'locate', 'rsync']);

/** A file, remote or socket that this user may not access (E-7). HTTP 403 does not count. */
export function findPermissionDenied(
  lines: readonly string[],
  at: number,
  context: BlockerContext,
): Denied | undefined {
  const line = lines[at] ?? '';
  if (!HINT.test(line)) return undefined;
  const found =
    readSystemCall(lines, at) ?? readLanguage(lines, at) ?? readRemote(line) ?? readTool(line, context);
  if (!found) return undefined;
  // For a script of the repository that is not executable, the agent can run chmod.
  if (found.operation === 'execute' && isOwn(found.resource, context)) return undefined;
  return found;
}

function isOwn(resource: string, { worktree }: BlockerContext): boolean {
  if (!resource.startsWith('/')) return true;
  const root = worktree?.replace(/\/+$/, '');
  return root !== undefined && root !== '' && (resource === root || resource.startsWith(`${root}/`));
}

/** Node: `EACCES: permission denied, open '/etc/x'`, `spawn /usr/sbin/x EACCES`. Go: `open /etc/x: permission denied`. */
function readSystemCall(lines: readonly string[], at: number): Denied | undefined {
  const line = lines[at] ?? '';
  const node =
    /\b(?:EACCES|EPERM): (?:permission denied|operation not permitted), (\w{1,30}) '([^']{1,400})'/.exec(
      line,
    );
  if (node) return denied(node[2], node[1] === 'open' ? openMode(lines, at) : operationOf(node[1]));
  const spawn = /\b(spawn|exec\w{0,6}) (\S{1,400}) (?:EACCES|EPERM)\b/.exec(line);
  if (spawn) return denied(spawn[2], 'execute');
  const go =
    /\b(open|mkdir|unlink|remove|rename|stat|lstat|read|readdir|write|chmod|fork\/exec) (\/[^\s:]{1,400}): (?:permission denied|operation not permitted)/.exec(
      line,
    );
  return go ? denied(go[2], operationOf(go[1])) : undefined;
}

/** `open` does not say whether to read or to write, but the stack frames below it often do. */
function openMode(lines: readonly string[], at: number): Operation {
  const frames = lines.slice(at + 1, at + 12).filter((line) => /^\s+at /.test(line));
  return frames.some((frame) => /write|append|createWriteStream/i.test(frame)) ? 'write' : 'read';
}

function readLanguage(lines: readonly string[], at: number): Denied | undefined {
  const line = lines[at] ?? '';
  const python = /\bPermissionError: \[Errno (?:1|13)\] [^:]{1,60}: ['"]([^'"]{1,400})['"]/.exec(line);
  if (python) return denied(python[1], pythonMode(lines, at));
  const ruby = /\bErrno::E(?:ACCES|PERM)\b.{0,200}? - (\/\S{1,400})/.exec(line);
  if (ruby) return denied(ruby[1], 'unknown');
  const java =
    /\bAccessDeniedException: (\/\S{1,400})/.exec(line) ??
    /\bFileNotFoundException: (\/\S{1,400}) \(Permission denied\)/.exec(line);
  return java ? denied(java[1], 'unknown') : undefined;
}

function pythonMode(lines: readonly string[], at: number): Operation {
  const above = lines
    .slice(Math.max(0, at - 6), at)
    .filter((line) => /\bopen\(|\.(?:read|write)_\w+\(|\bos\.\w+\(/.test(line))
    .join('\n');
  if (
    /\bopen\([^)]{0,200},\s*(?:mode=)?['"][rb+t]*[wax]|write_(?:text|bytes)\(|\bos\.(?:mkdir|makedirs|remove|unlink|rename|chmod)\(/.test(
      above,
    )
  )
    return 'write';
  return /\bopen\(|read_(?:text|bytes)\(/.test(above) ? 'read' : 'unknown';
}

/** git over SSH and HTTPS, and Docker's socket. */
function readRemote(line: string): Denied | undefined {
  const ssh =
    /^(?:[\w.-]{1,80}: )?([\w.-]{1,100}@[\w.-]{1,253}): Permission denied \([\w,-]{1,200}\)\.?$/.exec(
      line.trim(),
    );
  if (ssh) return denied(ssh[1], 'unknown');
  const push = /\bPermission to (\S{1,300}) denied to /.exec(line);
  if (push) return denied(push[1], 'write');
  if (/^remote: Write access to repository not granted/.test(line)) return denied('git remote', 'write');
  const login = /^fatal: could not read Username for '([^']{1,300})'/i.exec(line);
  if (login) return denied(login[1]?.replace(/\/\/[^/@]*@/, '//'), 'unknown');
  const docker =
    /\bpermission denied while trying to connect to the Docker daemon socket at (\S{1,200}?):?(?: |$)/i.exec(
      line,
    );
  return docker ? denied(docker[1], 'unknown') : undefined;
}

/** `cat: /etc/x: Permission denied`, `mkdir: cannot create directory ‘/x’: Permission denied`, `bash: line 3: ./a.sh: Permission denied`. */
function readTool(line: string, context: BlockerContext): Denied | undefined {
  const match = /^(.{1,600}): (?:Permission denied|Operation not permitted)$/i.exec(line.trim());
  const text = match?.[1] ?? '';
  const shell = /^(?:[\w./-]{0,80}\/)?(?:ba|da|z|k|a)?sh: (?:line )?(?:\d+: )?(.+)$/.exec(text);
  if (shell) return readShell(shell[1] ?? '', context);
  const tool = /^([\w.+-]{1,40}): (.+)$/.exec(text);
  if (!tool || WALKERS.has(tool[1] ?? '')) return undefined;
  const rest = tool[2] ?? '';
  const quoted = /['‘"]([^'’"]{1,400})['’"]/.exec(rest)?.[1];
  const resource = quoted ?? (/^\S{1,400}$/.test(rest) ? rest : undefined);
  if (!resource || !/[/.]/.test(resource)) return undefined;
  if (/^cannot (?:create|remove|touch|move|stat for writing|change|make|overwrite)/.test(rest))
    return denied(resource, 'write');
  if (/^cannot (?:open|access|stat|read)/.test(rest)) return denied(resource, 'read');
  return denied(resource, tool[1] === 'cp' ? 'unknown' : operationOf(tool[1]));
}

function readShell(text: string, { command }: BlockerContext): Denied | undefined {
  const direct = /^cannot (create|open) (\S{1,400})$/.exec(text);
  if (direct) return denied(direct[2], direct[1] === 'create' ? 'write' : 'read');
  if (!/^\S{1,400}$/.test(text)) return undefined;
  // The shell's message is the same for a program and for the target of a redirection. The command line tells which it was.
  const redirected = command?.includes(`> ${text}`) || command?.includes(`>${text}`);
  return denied(text, redirected ? 'write' : 'execute');
}

function operationOf(call: string | undefined): Operation {
  const name = call ?? '';
  if (WRITING.test(name)) return 'write';
  if (EXECUTING.test(name)) return 'execute';
  return READING.test(name) ? 'read' : 'unknown';
}

function denied(resource: string | undefined, operation: Operation): Denied | undefined {
  return resource ? { kind: 'permission_denied', resource, operation } : undefined;
}
