import { join } from 'node:path';
import type { TurnFiles } from '../../../agents/agent.ts';
import { INSTRUCTIONS } from '../../../agents/instructions.ts';
import { describeEarlier, isApproachingLimit, joinPrompt, renderTurn } from '../../../agents/prompt.ts';
import { type Told, toldBy } from '../../../agents/told.ts';
import type { TurnContext } from '../../../agents/turn-context.ts';
import type { Revision } from '../../../core/contracts/revision.ts';
import { limitsInForce } from '../../../guards/observe.ts';
import type { SetApart } from '../../agent/agent-config.ts';
import { saveCheckpoint } from '../../checkpoint/checkpoint.ts';
import { removeInside } from '../../disk/set-aside.ts';
import { passedValue, secretsIn } from '../actions-secrets.ts';
import { withApplied } from '../apply-suggestions.ts';
import type { Job, WorkOrders } from '../job.ts';
import { withConflicts } from '../merge-round.ts';
import { repairStateDir, writeStateFile } from '../repair-state-dir.ts';
import { removeIfThere } from '../state-dir.ts';

/** Everything that one invocation of the agent is given. */
interface PreparedTurn {
  prompt: string;
  instructions: string;
  files: TurnFiles;
  inputs: Record<string, string>;
  tells: Told;
}

export async function prepareTurn(
  job: Job,
  orders: WorkOrders,
  { gate, apart, told }: { gate: string; apart: readonly SetApart[]; told: Told | undefined },
): Promise<PreparedTurn> {
  const { brief, stateDir, workspace } = job;
  const at = (name: string) => join(workspace.worktree, stateDir.path, name);
  const files: TurnFiles = {
    prompt: at('prompt.md'),
    context: at('context.json'),
    inputs: at('inputs.json'),
    report: at('report.json'),
    gate,
  };
  const inputs = await openInputs(job, orders);
  const context = contextOf(job, orders, Object.keys(inputs));
  const turn = { task: brief.task, context, files, feedback: orders.feedback, mark: job.mark };
  const whole = renderTurn(turn) + describeApart(apart);
  const prompt = told ? renderTurn(turn, told) + describeApart(apart) : whole;
  if (job.strayHelp.size > 0) saveCheckpoint(job, { stray_help: [] });
  job.strayHelp.clear();
  const instructions = INSTRUCTIONS;
  await repairStateDir(workspace.worktree, stateDir);
  // A report of the previous turn must not be read as one of this turn, nor prevent the agent from writing its own.
  await removeInside(workspace.worktree, `${stateDir.path}/report.json`);
  await write(job, 'prompt.md', joinPrompt({ prompt: whole, instructions }));
  await write(job, 'context.json', describeContext(context));
  await writeInputs(job, orders, inputs);
  return { prompt, instructions, files, inputs, tells: toldBy(context, orders.feedback) };
}

/** Programs may search the file for `"turn":`, so no other fact has that name. */
function describeContext(context: TurnContext): string {
  const facts = { ...context, earlier: context.earlier.map(describeEarlier) };
  return `${JSON.stringify(facts, null, 2)}\n`;
}

const APART_SHOWN = 20;

function describeApart(apart: readonly SetApart[]): string {
  if (apart.length === 0) return '';
  const shown = apart.slice(0, APART_SHOWN).map(({ path, copy }) => `- ${JSON.stringify(path)}: ${copy}`);
  const more = apart.length > shown.length ? [`- and ${apart.length - shown.length} more beside it`] : [];
  return `
## Set apart while you run

Files that agents follow are as they were before the run. This run's versions of them are kept here, and come back after your turn:
${[...shown, ...more].join('\n')}
If you rewrite such a file, your version wins, so start from the kept one. To drop a change, delete the kept file.
`;
}

function contextOf(job: Job, orders: WorkOrders, inputs: string[]): TurnContext {
  const { brief, strayHelp, meter } = job;
  const { revision } = orders;
  const limits = limitsInForce(orders.limits);
  return {
    task_id: brief.task.id,
    turn: orders.turn,
    max_turns: limits.turns,
    approaching_limit: isApproachingLimit(orders.turn, limits.turns),
    kind: orders.kind,
    resumed: orders.resumed,
    scope: brief.task.scope ?? null,
    max_files: limits.files,
    files_so_far: meter.measured().context.files,
    checks: brief.checks,
    inputs,
    answers: orders.guidance,
    new_answers: orders.answers.length > 0,
    known_issues: orders.known_issues.flatMap((issue) => [issue.title, ...issue.tests, ...issue.checks]),
    handoff_path: orders.handoff_path ?? null,
    predecessor: orders.predecessor ?? null,
    earlier: orders.earlier ?? [],
    round: revision ? roundOf(job, revision) : null,
    stray_help: [...strayHelp],
  };
}

function roundOf(job: Job, revision: Revision): Revision {
  const { remarks, update } = revision;
  return {
    ...revision,
    remarks: withApplied(job, remarks),
    ...(update && { update: withConflicts(job, update) }),
  };
}

export async function openInputs(job: Job, orders: WorkOrders): Promise<Record<string, string>> {
  const kept = Object.values(orders.inputs).filter((input) => input.actions_secret === undefined);
  const values = kept.length > 0 ? await job.link.openInputs(kept.map(({ ref }) => ref)) : {};
  for (const { key, name } of secretsIn(orders)) {
    const value = passedValue(job.agentEnv, name);
    if (value !== undefined) values[key] = value;
  }
  return values;
}

/** The path does not change while the agent runs, so that a waiting agent can read new inputs there (P-7). */
export async function writeInputs(
  job: Job,
  orders: WorkOrders,
  inputs: Record<string, string>,
): Promise<void> {
  const answers = orders.answers.map(({ id, escalation, command, by, instruction }) => ({
    id,
    escalation,
    command,
    by,
    text: instruction,
  }));
  await repairStateDir(job.workspace.worktree, job.stateDir);
  await write(job, 'inputs.json', `${JSON.stringify({ inputs, answers }, null, 2)}\n`);
}

export async function removeInputs(job: Job): Promise<void> {
  await removeIfThere(job.workspace.worktree, `${job.stateDir.path}/inputs.json`);
}

async function write({ workspace, stateDir }: Job, name: string, text: string): Promise<void> {
  await writeStateFile(workspace.worktree, stateDir, { name, text, mode: 0o600 });
}
