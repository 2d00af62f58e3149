// Makes a box as root and keeps it: `sudo -n node box-helper.mjs SOCKET`. It has no dependencies and can be read in one sitting,
// because it is the only part of Autobuild that runs as root. Its caller has root by sudo already, so it grants nothing new.
//
// Standard input, output and error are the program's. Orders come by SOCKET, one line of JSON each, and each is answered by one:
//   {"op":"start", program, args, cwd, env, uid, gid, steps, enter, name}
//   {"op":"freeze"} {"op":"thaw"} {"op":"kill","grace":MS}
// When the socket closes, whoever asked for the box is gone, and the box is ended.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

/** The only environment of everything that runs as root. */
const ROOT_ENV = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' };
const FREEZE_MS = 900;
const HOLD_MS = 100;
const UNINTERRUPTIBLE_MS = 20;
const KILL_MS = 5_000;
const LEAVE_MS = 500;

/**
 * The first process in the box, already without rights. It reads the program's environment from a pipe, so that nothing of it
 * is obeyed as root or stands in a command line, and takes in processes that lose their parent. Its end is the end of the box.
 */
const INIT = 'eval "$(cat <&3)"; exec 3>&2 2>/dev/null; (exec "$@" 2>&3 3>&-); exit $?';

/** Rights of root that cannot undo a mount, open a disk or reach a process outside. Other users keep none. */
const KEPT_BY_ROOT =
  '-all,+chown,+dac_override,+fowner,+fsetid,+kill,+setgid,+setuid,+setpcap,+net_bind_service,+net_raw,+sys_chroot,+setfcap';

const socket = connect(process.argv[2] ?? '');
let child;
let group;
let stopped = new Set();
let isEnding = false;

socket.on('error', () => socket.destroy());
socket.on('close', () => void end());
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void end());
const orders = createInterface({ input: socket });
orders.on('error', () => socket.destroy());
orders.on('line', (line) => void answer(JSON.parse(line)));

async function answer(order) {
  const ops = { start, freeze, thaw, kill };
  try {
    reply({ op: order.op, ...(await ops[order.op](order)) });
  } catch (error) {
    reply({ op: order.op, problem: String(error) });
  }
}

function reply(message) {
  if (socket.writable) socket.write(`${JSON.stringify(message)}\n`);
}

async function start({ program, args, cwd, env, uid, gid, steps, enter, name }) {
  group = makeGroup(name);
  const drop = [
    ...['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--no-new-privs', '--inh-caps=-all'],
    ...[`--bounding-set=${uid === 0 ? KEPT_BY_ROOT : '-all'}`, '--', '/bin/sh', '-c', INIT, 'sh'],
  ];
  const namespaces = ['--pid', '--fork', '--kill-child', '--mount', '--mount-proc', '--ipc', '--'];
  const inBox = ['unshare', ...namespaces, '/bin/sh', enter, ...steps, '--', ...drop, program, ...args];
  // The shell joins the group before anything of the box exists.
  const join = group ? `echo $$ > '${group}/cgroup.procs' || exit 125; exec "$@"` : 'exec "$@"';
  child = spawn('/bin/sh', ['-c', join, 'sh', ...inBox], {
    cwd,
    env: ROOT_ENV,
    stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
  });
  child.stdio[3].on('error', () => undefined);
  child.stdio[3].end(quoteEnvironment(env));
  child.once('error', () => leave(125));
  // No process of the box is left by now: the kernel ends them all with the first one, and waits for them.
  child.once('exit', (code, signal) => leave(code ?? (signal === 'SIGKILL' ? 137 : 125)));
}

/** Shell lines. Names that a shell cannot have are left out. */
function quoteEnvironment(env) {
  return Object.entries(env)
    .filter(([name]) => /^[A-Za-z_]\w*$/.test(name))
    .map(([name, value]) => `export ${name}='${value.replaceAll("'", "'\\''")}'\n`)
    .join('');
}

/** A cgroup v2 at the root of its file system. Undefined where there is none. */
function makeGroup(name) {
  const line = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .find((entry) => entry.includes(' - cgroup2 '));
  const mount = line?.split(' ')[4];
  if (!mount || !/^[\w-]+$/.test(name) || mount.includes('\\') || mount.includes("'")) return undefined;
  const path = join(mount, name);
  try {
    mkdirSync(path);
    return existsSync(join(path, 'cgroup.freeze')) ? path : undefined;
  } catch {
    return undefined;
  }
}

/** Every process of the box, parents first. All are descendants of the one that made it, because none can leave it. */
function members() {
  const children = new Map();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = read(`/proc/${name}/stat`);
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (!parent || state === 'Z' || state === 'X') continue;
    const siblings = children.get(Number(parent)) ?? [];
    children.set(Number(parent), [...siblings, { pid: Number(name), state }]);
  }
  const found = [...(children.get(child?.pid) ?? [])];
  for (const { pid } of found) found.push(...(children.get(pid) ?? []));
  return found;
}

/**
 * The group holds everything at once, so that nothing forks while SIGSTOP is sent. It is let go then: a pending SIGSTOP takes
 * effect before the next instruction of a program, and shows in `ps`. Without a group, passes are repeated until all stand still.
 */
async function freeze() {
  const begin = performance.now();
  if (group) await hold();
  for (let pass = 0; ; pass += 1) {
    const all = members();
    // A process that waits in the kernel (D) for its stopped child gets the signal before its next instruction.
    const late = performance.now() - begin > UNINTERRUPTIBLE_MS;
    const running = all.filter(
      ({ pid, state }) => !stopped.has(pid) || !(state === 'T' || (state === 'D' && late)),
    );
    for (const { pid } of running) if (signal(pid, 'SIGSTOP')) stopped.add(pid);
    if (pass === 0 && group) writeFileSync(join(group, 'cgroup.freeze'), '0');
    if (running.length === 0 || performance.now() - begin > FREEZE_MS)
      return { processes: all.length, running: running.length };
    if (pass > 0) await sleep(1);
  }
}

async function hold() {
  writeFileSync(join(group, 'cgroup.freeze'), '1');
  const deadline = performance.now() + HOLD_MS;
  while (!/^frozen 1$/m.test(read(join(group, 'cgroup.events'))) && performance.now() < deadline)
    await sleep(1);
}

async function thaw() {
  for (const { pid } of members().reverse()) if (stopped.has(pid)) signal(pid, 'SIGCONT');
  stopped = new Set();
}

/**
 * The first process is ended last, because everything ends with it. It stands still meanwhile: a launcher may end at once, and
 * the program behind it still saves its work.
 */
async function kill({ grace = 0 }) {
  const deadline = performance.now() + grace;
  const asked = new Set();
  while (performance.now() < deadline && child?.exitCode === null) {
    const [first, ...others] = members();
    if (others.length === 0) {
      if (first) await letLeave(first.pid);
      break;
    }
    signal(first.pid, 'SIGSTOP');
    stopped.delete(first.pid);
    const fresh = others.filter(({ pid }) => !asked.has(pid));
    for (const { pid } of fresh) {
      asked.add(pid);
      signal(pid, 'SIGTERM');
    }
    await thaw();
    await sleep(5);
  }
  const processes = Math.max(asked.size, members().length);
  if (child?.exitCode === null && child.signalCode === null) {
    const exited = new Promise((resolve) => child.once('exit', resolve));
    const [first] = members();
    if (first) signal(first.pid, 'SIGKILL');
    child.kill('SIGKILL');
    await Promise.race([exited, sleep(KILL_MS)]);
  }
  return { processes, survivors: members().length };
}

/** It tells how the program ended. */
async function letLeave(pid) {
  const left = new Promise((resolve) => child.once('exit', resolve));
  signal(pid, 'SIGCONT');
  await Promise.race([left, sleep(LEAVE_MS)]);
}

async function end() {
  if (isEnding) return;
  isEnding = true;
  if (child) await kill({});
  leave(125);
}

function leave(code) {
  try {
    if (group) rmdirSync(group);
  } catch {
    // The system removes it with its last process.
  }
  process.exit(code);
}

function signal(pid, name) {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
