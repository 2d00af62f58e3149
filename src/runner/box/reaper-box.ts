import { enterDirectly } from '../process/enter.ts';
import type { Box } from './box.ts';
import { canRun } from './can-run.ts';

/**
 * `prctl(PR_SET_CHILD_SUBREAPER, 1)`, which neither Node nor a shell can call, then one child for the program. Processes that
 * lose their parent become children of this one, so they are found, and ended after the program. The program can kill this process: that is
 * why the level is 1.
 */
const REAPER = `
my ($number, @argv) = @ARGV;
syscall($number, 36, 1, 0, 0, 0) == 0 or exit 125;
my $main = fork() // exit 125;
if ($main == 0) { exec { $argv[0] } @argv or exit 127 }
my $code = 125;
while ((my $pid = wait()) > 0) {
  next if $pid != $main;
  $code = $? & 127 ? 128 + ($? & 127) : $? >> 8;
  last;
}
do {
  for my $file (glob '/proc/[0-9]*/stat') {
    open(my $stat, '<', $file) or next;
    my $line = <$stat> // next;
    kill 'KILL', $1 if $line =~ /^(\\d+) \\(.*\\) \\S (\\d+) / && $2 == $$;
  }
} while (wait() > 0);
exit $code;
`;
const PRCTL: Partial<Record<NodeJS.Architecture, string>> = { x64: '157', arm64: '167' };

/** Level 1: where namespaces are forbidden. A daemon stays in the tree, unless it tries to leave. */
export function reaperBox(): Omit<Box, 'why'> | { problem: string } {
  const number = PRCTL[process.arch];
  if (process.platform !== 'linux' || !number) return { problem: `no subreaper on ${process.platform}` };
  const wrap = (argv: string[]) => ['/usr/bin/perl', '-e', REAPER, '--', number, ...argv];
  const problem = canRun(wrap(['/bin/true']));
  if (problem) return { problem: `no subreaper: ${problem}` };
  return { level: 1, enter: (program) => ({ ...enterDirectly(program, wrap), hidesSignals: true }) };
}
