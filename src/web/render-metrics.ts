import type { Counters } from './counters.ts';
import type { DeskFigures } from './measure-desk.ts';

interface Sample {
  labels?: Record<string, string>;
  value: number;
}

export interface BudgetFigures {
  installation: number;
  resource: string;
  limit: number;
  remaining: number;
}

/** Help texts of the counters. A counter without an entry gets a default text. */
const COUNTED: Record<string, string> = {
  autobuild_deliveries_total: 'Webhooks by what became of them.',
  autobuild_effect_retries_total: 'Effects on GitHub that had to be tried again.',
};

/** Prometheus text format: https://prometheus.io/docs/instrumenting/exposition_formats/ */
export function renderMetrics(
  figures: DeskFigures,
  counters: Counters,
  budgets: BudgetFigures[] = [],
): string {
  const { queues, active, waiting, jobs, resolution } = figures;
  const lines: string[] = [];
  const add = (name: string, type: 'gauge' | 'counter', help: string, samples: Sample[]) => {
    lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`);
    for (const { labels, value } of samples) lines.push(`${name}${renderLabels(labels)} ${value}`);
  };
  const counted = Map.groupBy(counters.all(), ({ name }) => name);
  for (const name of new Set([...Object.keys(COUNTED), ...counted.keys()]))
    add(name, 'counter', COUNTED[name] ?? 'Counted since the start.', counted.get(name) ?? [{ value: 0 }]);
  for (const name of ['limit', 'remaining'] as const)
    add(
      `autobuild_github_calls_${name}`,
      'gauge',
      name === 'limit' ? 'Calls per hour that GitHub allows.' : 'Calls that GitHub still allows this hour.',
      budgets.map(({ installation, resource, ...left }) => ({
        labels: { installation: String(installation), resource },
        value: left[name],
      })),
    );
  add(
    'autobuild_queue_items',
    'gauge',
    'Items of a queue by state; buried ones were given up.',
    Object.entries(queues).flatMap(([queue, sizes]) =>
      Object.entries(sizes).map(([state, value]) => ({ labels: { queue, state }, value })),
    ),
  );
  add(
    'autobuild_active_runs',
    'gauge',
    'Runs that are not finished, by status.',
    Object.entries(active).map(([status, value]) => ({ labels: { status }, value })),
  );
  add('autobuild_waiting_runs', 'gauge', 'Runs that wait for a person.', [{ value: waiting }]);
  add('autobuild_live_jobs', 'gauge', 'Jobs at work.', [{ value: jobs.live }]);
  add('autobuild_silent_jobs', 'gauge', 'Jobs that have said nothing for 180 s.', [{ value: jobs.silent }]);
  add('autobuild_job_silence_seconds_max', 'gauge', 'Longest time a live job has said nothing.', [
    { value: jobs.longest_silence_ms / 1000 },
  ]);
  add('autobuild_questions', 'gauge', 'Questions to people, newest 200 runs.', [
    { labels: { state: 'asked' }, value: resolution.total },
    { labels: { state: 'resolved' }, value: resolution.resolved },
    { labels: { state: 'resolved_in_time' }, value: resolution.resolved_in_time },
  ]);
  add(
    'autobuild_questions_by_type',
    'gauge',
    'Questions to people by what led to them, newest 200 runs.',
    Object.entries(resolution.by_type).map(([type, value]) => ({ labels: { type }, value })),
  );
  if (resolution.median_ms !== undefined)
    add('autobuild_answer_seconds_median', 'gauge', 'Median time from a question to its answer.', [
      { value: resolution.median_ms / 1000 },
    ]);
  if (resolution.rate !== undefined)
    add('autobuild_resolution_rate', 'gauge', 'Share of questions settled within an hour.', [
      { value: resolution.rate },
    ]);
  return `${lines.join('\n')}\n`;
}

function renderLabels(labels: Record<string, string> = {}): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return pairs.length > 0 ? `{${pairs.join(',')}}` : '';
}

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
