import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

/** No account of any machine. */
const UID = 60_123;
const PROGRAM = join(import.meta.dirname, 'attack-as-user.ts');

/** In a mount namespace of its own the user exists and may use sudo; the machine is not changed. */
const WITH_SUDO =
  'mount --bind "$1/passwd" /etc/passwd && mount --bind "$1/sudoers" /etc/sudoers && shift && exec "$@"';

interface Gains {
  level: number;
  uid: number;
  started: boolean;
  running: number;
  whileFrozen: number;
  afterEnd: number;
  output: string;
}

/** Plays the attacks as a user that is not root. A string says why they could not be played. */
export function attackAsUser(level: number): Gains | string {
  if (process.getuid?.() !== 0) return 'only root can become another user';
  if (level === 4 && !existsSync('/usr/bin/sudo')) return 'sudo is not installed';
  const top = mkdtempSync('/var/tmp/autobuild-user-');
  const etc = mkdtempSync('/var/tmp/autobuild-etc-');
  try {
    chownSync(top, UID, UID);
    chmodSync(etc, 0o755);
    copyFileSync('/etc/passwd', join(etc, 'passwd'));
    appendFileSync(join(etc, 'passwd'), `autobuild-test:*:${UID}:${UID}::/:/bin/sh\n`);
    writeFileSync(join(etc, 'sudoers'), 'autobuild-test ALL=(ALL) NOPASSWD: ALL\n', { mode: 0o440 });
    const asUser = [
      'setpriv',
      `--reuid=${UID}`,
      `--regid=${UID}`,
      '--clear-groups',
      process.execPath,
      PROGRAM,
      top,
      `${level}`,
    ];
    const command =
      level === 4 ? ['unshare', '--mount', 'sh', '-c', WITH_SUDO, 'sh', etc, ...asUser] : asUser;
    const [file = '', ...args] = command;
    const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', CANARY: 'canary' };
    const { stdout, stderr } = spawnSync(file, args, { env, encoding: 'utf8', timeout: 120_000 });
    return stdout ? (JSON.parse(stdout) as Gains) : stderr.trim() || 'nothing was said';
  } finally {
    rmSync(top, { recursive: true, force: true });
    rmSync(etc, { recursive: true, force: true });
  }
}
