// Plays the attacks on one level as the user that runs this program, and prints what they gained: attack-as-user.ts TOP LEVEL
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCheckCommand } from '../../src/runner/checks/run-check-command.ts';
import { superviseAgent } from '../../src/runner/process/supervise.ts';
import { DAEMON, makePlanIn, openLevel } from './boxes.ts';

const [top = '', level = ''] = process.argv.slice(2);
const plan = makePlanIn(top);
writeFileSync(join(plan.runner, 'event.json'), 'canary');
const box = openLevel(Number(level), plan);
if (!box) process.exit(0);

const env = { PATH: '/usr/bin:/bin', HOME: plan.home };
const ticks = join(plan.worktree, 'ticks');
const size = () => (existsSync(ticks) ? statSync(ticks).size : 0);
async function growth(): Promise<number> {
  const before = size();
  await sleep(300);
  return size() - before;
}
const agent = superviseAgent({
  argv: ['/bin/sh', '-c', `${DAEMON}; sleep 1000`],
  cwd: plan.worktree,
  env,
  stdin: '',
  mark: 'attack-as-user',
  useCgroup: false,
  enter: box.enter,
  onLine: () => undefined,
  onOverlong: () => undefined,
  onStderr: (text) => process.stderr.write(text),
});
for (let tries = 0; size() === 0 && tries < 6_000; tries += 1) await sleep(10);
const started = size() > 0;
const { running } = await agent.freeze();
const whileFrozen = await growth();
await agent.thaw();
await agent.kill({ graceMs: 0 });
await agent.exited;
const afterEnd = await growth();
const { output } = await runCheckCommand({
  command: `cat ${plan.runner}/event.json /proc/${process.pid}/environ; kill -CONT ${process.pid} && echo signalled
sudo -n true && echo root; touch /usr/canary ~/mine written && echo written; id -u; id -G`,
  cwd: plan.worktree,
  env,
  timeoutMs: 60_000,
  enter: box.enter,
});
process.stdout.write(
  `${JSON.stringify({ level: box.level, uid: process.getuid?.(), started, running, whileFrozen, afterEnd, output })}\n`,
);
