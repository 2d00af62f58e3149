import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import type { Program } from '../process/enter.ts';

/** The view that a box gives of the machine. Paths that do not exist are left out when a program starts. */
export interface BoxPlan {
  /** A directory of the run for files of the box, which the box itself does not show. */
  directory: string;
  worktree: string;
  /** Hidden with everything below, except what is shared. */
  hidden: readonly string[];
  /** Directories that agents of this run may write. */
  shared: readonly string[];
  /** Files and directories that stay readable below what is hidden. */
  readable: readonly string[];
  /** Everything else can only be read: the home is a copy, and `/tmp` is private. Left out: the box hides, and protects no more. */
  home?: string;
}

/** Services that start a process for whoever asks, out of reach of the box. */
const LAUNCHERS = [
  '/run/user',
  '/run/dbus',
  '/run/systemd/private',
  '/run/docker.sock',
  '/run/containerd',
  '/run/podman',
  '/run/screen',
  '/run/snapd.socket',
  '/run/snapd-snap.socket',
  '/run/crio',
];

/** Variables whose value is a file or directory that programs read: certificates, credentials, settings of an agent. */
const NAMED_FILES = [
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'CODEX_CA_CERTIFICATE',
  'GOOGLE_APPLICATION_CREDENTIALS',
  'OPENCODE_CONFIG',
];

/** Logins in a home. */
const LOGINS = [
  '.ssh',
  '.gnupg',
  '.aws',
  '.azure',
  '.kube',
  '.docker',
  '.netrc',
  '.git-credentials',
  '.config/gh',
  '.config/gcloud',
  '.config/git/credentials',
];

/** The steps of `enter-box.sh` for one program. */
export function stepsFor(
  plan: BoxPlan,
  { cwd, share = [], env }: Pick<Program, 'cwd' | 'share' | 'env'>,
): string[] {
  const { directory, worktree } = plan;
  const home = plan.home && realpathSync(plan.home);
  const steps: string[][] = [['view', '-']];
  if (home) {
    if (isRoot()) steps.push(['devices', '-'], ['kernel', '-']);
    steps.push(['tmp', join(directory, 'tmp')], ['upper', join(directory, 'home')]);
  }
  const concealed = present(hiddenIn(plan));
  const isConcealed = (path: string) => concealed.some((above) => isBelow(path, above));
  const needed = present([...plan.shared, ...share, worktree, cwd]);
  const isNeeded = (path: string) => needed.some((above) => isBelow(path, above));
  // A mount of its own only where one is needed, because nobody can rename or delete a place where something is mounted.
  const mounted = home ? needed : needed.filter(isConcealed);
  const covered = home ? [...concealed, '/tmp'] : concealed;
  const tools = present((env.PATH ?? '').split(delimiter).filter(isAbsolute)).filter(
    (path) => covered.some((above) => path.startsWith(`${above}/`)) && !isNeeded(path),
  );
  // A private /tmp would hide them, too.
  const named = present(NAMED_FILES.flatMap((name) => env[name] ?? [])).filter(
    (path) => home && isBelow(path, '/tmp') && !isConcealed(path) && !isNeeded(path),
  );
  const places = [
    ...(home && !isConcealed(home) ? [['home', home]] : []),
    ...concealed.map((path) => ['hide', path]),
    ...mounted.map((path) => ['write', path]),
    ...present([...plan.readable, ...tools, ...named]).map((path) => ['read', path]),
  ];
  // A mount covers everything below its place, so the places above come first.
  steps.push(...places.toSorted(([, one = ''], [, other = '']) => depthOf(one) - depthOf(other)));
  if (home) steps.push(['readonly', '-']);
  return steps.flat();
}

/** Everything that agents do not get to see. */
export function hiddenIn({ hidden, home }: BoxPlan): string[] {
  const logins = home ? LOGINS.map((name) => join(home, name)) : [];
  // A service that is asked by root does what root may do.
  const services = home && isRoot() ? socketsBelow('/run', 3) : [];
  return [...LAUNCHERS, ...terminalServers(), ...services, ...hidden, ...logins];
}

/** Programs that are installed globally go into the home, because the places of the system can only be read. */
export function environmentIn({ home }: BoxPlan, env: Record<string, string>): Record<string, string> {
  if (!home) return env;
  const { TMPDIR: _, ...rest } = env;
  const prefix = join(home, '.npm-global');
  const PATH = [join(prefix, 'bin'), env.PATH].filter(Boolean).join(delimiter);
  return { ...rest, npm_config_prefix: prefix, PATH };
}

function socketsBelow(directory: string, depth: number): string[] {
  const entries = readdirSync(directory, { withFileTypes: true });
  return entries.flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isSocket()) return [path];
    return entry.isDirectory() && depth > 1 ? socketsBelow(path, depth - 1) : [];
  });
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** A terminal server that runs already would start a program outside. */
function terminalServers(): string[] {
  const uid = process.getuid?.() ?? 0;
  return [`/tmp/tmux-${uid}`, '/tmp/screens', '/run/tmux'];
}

function depthOf(path: string): number {
  return path.split('/').length;
}

export function isBelow(path: string, above: string): boolean {
  return path === above || path.startsWith(`${above}/`);
}

/** Links are resolved, because a mount needs the place itself. */
export function present(paths: readonly string[]): string[] {
  return [...new Set(paths.filter((path) => existsSync(path)).map((path) => realpathSync(path)))];
}
