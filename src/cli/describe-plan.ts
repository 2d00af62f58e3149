import { terminalLine } from '../comments/terminal/terminal-text.ts';
import type { Config } from '../config/read-config.ts';
import { compact } from '../core/compact.ts';
import type { CostInForce, GuardLimits } from '../core/contracts/guard.ts';
import type { Task } from '../core/contracts/task.ts';
import { limitsInForce } from '../guards/observe.ts';
import { GUARDS } from '../guards/registry.ts';
import type { Place } from './choose-worktree.ts';
import type { CliOptions } from './options.ts';

interface Plan {
  place: Place;
  config: Config;
  task: Task;
  checks: string[];
  name: string;
  agents: Record<string, string[]>;
  limits: GuardLimits;
}

const LINE = 200;

/** The run that `autobuild run` would start, one fact per line. */
export function describePlan(
  { place, config, task, checks, name, agents, limits }: Plan,
  options: CliOptions,
): string[] {
  const command = agents[name];
  const { turn_minutes, check_minutes } = config.limits;
  const { turns, minutes, files, cost } = limitsInForce(limits);
  const others = GUARDS.filter(({ runLimit }) => !runLimit || runLimit === 'scope').map(
    ({ id }) => [id, limits[id]] as const,
  );
  const off = others.flatMap(([guard, limit]) => (limit === 'off' ? [guard] : []));
  return [
    `Would run: ${terminalLine(task.title, 100)}`,
    `  agent: ${name}${command ? ` (${terminalLine(command.join(' '), LINE)})` : ', built in'}`,
    `  checks: ${checks.map((check) => terminalLine(check, LINE)).join(' · ')}`,
    `  in: ${terminalLine(place.top, LINE)}${options.worktree ? ', in a worktree and branch of its own' : ''}`,
    `  scope: ${task.scope ? task.scope.map((path) => terminalLine(path, 100)).join(', ') : 'none set: any file may be changed'}`,
    `  isolation: ${config.isolation ?? 'best'}`,
    'Stops and asks at:',
    `  turns: ${turns ?? 'no limit'}`,
    `  working time: ${minutes === null ? 'no limit' : `${minutes} min`}`,
    `  files changed: ${files ?? 'no limit'}`,
    `  cost: ${describeCost(cost)}`,
    ...others.filter(([guard]) => !off.includes(guard)).map(([guard, limit]) => `  ${guard}: ${show(limit)}`),
    ...(off.length > 0 ? [`  guards off: ${off.join(', ')}`] : []),
    `A turn may take ${turn_minutes} min, a check ${check_minutes} min.`,
    'Nothing was started or written.',
  ];
}

function describeCost(cost: CostInForce | null): string {
  if (!cost) return 'no limit';
  const { dollars, tokens } = cost;
  const parts = [
    dollars !== undefined && `$${dollars.toFixed(2)}`,
    tokens !== undefined &&
      `${compact(tokens)} tokens${dollars === undefined ? '' : ' where the agent reports no money'}`,
  ];
  return parts.filter((part) => part !== false).join(', or ');
}

function show(limit: unknown): string {
  return typeof limit === 'object' ? JSON.stringify(limit) : String(limit);
}
