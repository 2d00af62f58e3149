import { DEFAULT_PERMISSIONS, readPermissions, type TokenPermissions, tooMuch } from './token-permissions.ts';
import type { WorkflowFile, WorkflowJob } from './workflow-file.ts';
import { checkInputs } from './workflow-inputs.ts';

/** A mistake in a workflow for which GitHub starts none of its jobs. */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}

const DEEPEST = 4;

/** A workflow with the workflows that its jobs call, and what the token of each job may do. */
export interface Called {
  workflow: WorkflowFile;
  permissions: ReadonlyMap<string, TokenPermissions>;
  calls: ReadonlyMap<string, Called>;
}

/** Finds everything that a run calls and checks it as a whole, before any job starts. */
export async function findCalled(
  workflow: WorkflowFile,
  read: (uses: string) => Promise<WorkflowFile | undefined>,
  granted?: TokenPermissions,
  depth = 0,
): Promise<Called> {
  const permissions = new Map<string, TokenPermissions>();
  const calls = new Map<string, Called>();
  for (const [id, job] of Object.entries(workflow.jobs)) {
    const missing = job.needs.find((need) => !(need in workflow.jobs));
    if (missing) throw new StartupError(`Job '${id}' depends on unknown job '${missing}'.`);
    const asked = readPermissions(job.permissions) ?? readPermissions(workflow.permissions);
    const excess = granted && asked && tooMuch(granted, asked);
    if (excess)
      throw new StartupError(
        `The nested job '${id}' is requesting '${excess}', but is only allowed '${describe(granted, excess)}'.`,
      );
    const own = asked ?? granted ?? DEFAULT_PERMISSIONS;
    permissions.set(id, own);
    if (job.uses === undefined) continue;
    if (depth >= DEEPEST) throw new StartupError(`Workflows are called more than ${DEEPEST} deep.`);
    const called = await read(job.uses);
    if (!called) throw new StartupError(`The workflow ${job.uses} was not found.`);
    checkCall(job, called);
    calls.set(id, await findCalled(called, read, own, depth + 1));
  }
  return { workflow, permissions, calls };
}

function describe(granted: TokenPermissions, excess: string): string {
  const [name = ''] = excess.split(':');
  return `${name}: ${granted[name] ?? 'none'}`;
}

function checkCall(job: WorkflowJob, { on, file }: WorkflowFile): void {
  const { workflow_call: call } = on;
  if (!call) throw new StartupError(`${file} has no workflow_call.`);
  const wrong = checkInputs(call.inputs, job.with);
  if (wrong) throw new StartupError(`${file}: ${wrong}`);
  if (job.secrets === 'inherit') return;
  const given = Object.keys(job.secrets);
  const unknown = given.find((name) => !(name in call.secrets));
  if (unknown) throw new StartupError(`${file}: Invalid secret, ${unknown} is not defined in it.`);
  const missing = Object.entries(call.secrets).find(([name, one]) => one?.required && !given.includes(name));
  if (missing) throw new StartupError(`${file}: Secret ${missing[0]} is required, but not provided.`);
}
