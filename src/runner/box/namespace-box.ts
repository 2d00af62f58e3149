import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { enterDirectly, type Program } from '../process/enter.ts';
import type { Box } from './box.ts';
import { type BoxPlan, environmentIn, stepsFor } from './box-plan.ts';
import { canRun, findTool } from './can-run.ts';

/** Beside this file, and beside the bundle. */
const ENTER = fileURLToPath(new URL('./enter-box.sh', import.meta.url));

/** Rights of root that cannot undo a mount, open a disk or reach a process outside. Without root there are none to keep. */
const KEPT_BY_ROOT =
  '-all,+chown,+dac_override,+fowner,+fsetid,+kill,+setgid,+setuid,+setpcap,+net_bind_service,+net_raw,+sys_chroot,+setfcap';

/**
 * The first process of the box. It takes in what loses its parent, and with its end the kernel ends everything in the box. A
 * shell, because it hands on its standard input and output unchanged, and its own words do not belong to the agent's.
 */
const INIT = ['/bin/sh', '-c', 'exec 3>&2 2>/dev/null; (exec "$@" 2>&3 3>&-); exit $?', 'sh'];

/**
 * Level 2: PID, IPC and mount namespaces, made without any right but those of a user. A process cannot leave them, whatever it
 * does to its environment, session or parent.
 */
export function namespaceBox(plan: BoxPlan): Omit<Box, 'why'> | { problem: string } {
  if (process.platform !== 'linux') return { problem: `no namespaces on ${process.platform}` };
  for (const name of ['tmp', 'home']) mkdirSync(join(plan.directory, name), { recursive: true, mode: 0o700 });
  const [unshare, setpriv] = [findTool('unshare'), findTool('setpriv')];
  if (!unshare || !setpriv)
    return { problem: 'no namespaces: unshare or setpriv (util-linux) is not installed' };
  const isRoot = process.getuid?.() === 0;
  const wrapFor = (program: Pick<Program, 'cwd' | 'share' | 'env'>) => (argv: string[]) => [
    unshare,
    ...(isRoot ? [] : ['--user', '--map-current-user', '--keep-caps']),
    ...['--pid', '--fork', '--kill-child', '--mount', '--mount-proc', '--ipc', '--'],
    ...['/bin/sh', ENTER, ...stepsFor(plan, program), '--'],
    ...[setpriv, '--no-new-privs', '--inh-caps=-all', '--ambient-caps=-all'],
    ...[`--bounding-set=${isRoot ? KEPT_BY_ROOT : '-all'}`, '--', ...INIT],
    ...argv,
  ];
  const cwd = plan.worktree;
  const problem = canRun(wrapFor({ cwd, env: {} })(['/bin/true']), { cwd });
  if (problem) return { problem: `no namespaces: ${problem}` };
  return {
    level: 2,
    enter: (program) => ({
      ...enterDirectly({ ...program, env: environmentIn(plan, program.env) }, wrapFor(program), {
        isBox: true,
      }),
      hidesSignals: true,
    }),
  };
}
