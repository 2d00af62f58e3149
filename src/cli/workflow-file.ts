import { parseDocument } from 'yaml';
import * as z from 'zod';

const MAX_CHARACTERS = 256 * 1024;
const MAX_SECRETS = 50;

const Input = z
  .looseObject({
    required: z.boolean().default(false),
    default: z.unknown().optional(),
    type: z.string().default('string'),
    options: z.array(z.unknown()).default([]),
  })
  .nullable()
  .transform((input) => input ?? { required: false, default: undefined, type: 'string', options: [] });
const Dispatch = z.looseObject({ inputs: z.record(z.string(), Input).nullish() }).nullable();
const Env = z.record(z.string(), z.unknown()).nullish().catch(undefined);
const Step = z.looseObject({
  uses: z.string().optional(),
  run: z.string().optional().catch(undefined),
  with: z.record(z.string(), z.unknown()).optional().catch(undefined),
  env: Env,
  'timeout-minutes': z.unknown().optional(),
});
const Job = z.looseObject({
  uses: z.string().optional().catch(undefined),
  with: Env,
  secrets: Env,
  permissions: z.unknown().optional(),
  steps: z.array(Step).default([]),
  environment: z.unknown().optional(),
  if: z.unknown().optional(),
  env: Env,
  'runs-on': z.unknown().optional(),
  'timeout-minutes': z.unknown().optional(),
});
const Parsed = z.looseObject({
  'run-name': z.string().default(''),
  on: z.union([z.string(), z.array(z.string()), z.looseObject({ workflow_dispatch: Dispatch.optional() })]),
  permissions: z.unknown().optional(),
  env: Env,
  jobs: z.record(z.string(), Job),
});

export type WorkflowInput = z.infer<typeof Input>;

/** The parts of the repository's workflow that the App depends on. */
export interface WorkflowFile {
  runName: string;
  /** Undefined if the workflow cannot be dispatched. */
  inputs?: Record<string, WorkflowInput>;
  /** Permissions of the workflow and of the jobs that set their own, by their position in the file. */
  permissions: { where: string; value: unknown }[];
  /** Names of the events that start it. */
  events: string[];
  /** The call of Autobuild's own workflow, which needs no App. */
  call?: CalledWorkflow;
  uses: string[];
  jobs: WorkflowJob[];
  /** Names after `secrets.`. Names in YAML comments do not count. */
  secrets: string[];
  hasEnvironment: boolean;
  /** True when the ticket is passed to a step, where it would be logged. */
  leaksTicket: boolean;
}

export interface CalledWorkflow {
  permissions: unknown;
  /** By the names that the called workflow has for them. */
  secrets: Record<string, unknown>;
  /** `OWNER/REPO@COMMIT` of the copy of Autobuild that it belongs to. */
  action: string;
  /** Inputs that count where the settings name none, if they are no expressions: the agent, and the label that starts a run. */
  agent?: string;
  label?: string;
  /** True when it names the checks for settings that name none. */
  hasChecks: boolean;
}

/** `unreadable` for an expression; undefined if none is set. */
type Minutes = number | 'unreadable' | undefined;

interface WorkflowStep {
  uses?: string;
  run?: string;
  /** The input of that name. */
  desk?: string;
  timeoutMinutes?: Minutes;
}

export interface WorkflowJob {
  name: string;
  uses: string[];
  steps: WorkflowStep[];
  /** True for the job that verifies, by its condition. */
  isVerify: boolean;
  /** Labels of the machine, which may be expressions. Undefined if they cannot be read. */
  runsOn?: string[];
  timeoutMinutes?: Minutes;
  /** AUTOBUILD_JOB_MINUTES as it is set for a step, for the job or for all jobs. */
  jobMinutes?: string;
  environment?: string;
}

type ReadWorkflow = { ok: true; workflow: WorkflowFile } | { ok: false; problem: string };

export function readWorkflowFile(text: string): ReadWorkflow {
  if (text.length > MAX_CHARACTERS)
    return { ok: false, problem: `it has more than ${MAX_CHARACTERS} characters` };
  // The parser's own check for repeated keys takes quadratic time.
  const document = parseDocument(text, { uniqueKeys: false, prettyErrors: true });
  const [error] = document.errors;
  if (error) return { ok: false, problem: `it is not YAML: ${error.message.split('\n')[0]}` };
  let value: unknown;
  try {
    value = document.toJS();
  } catch (thrown) {
    // The file has too many aliases.
    return { ok: false, problem: `it is not YAML that can be read: ${(thrown as Error).message}` };
  }
  const parsed = Parsed.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return { ok: false, problem: `it is no workflow: ${issue?.path.join('.')}: ${issue?.message}` };
  }
  return { ok: true, workflow: summarise(parsed.data) };
}

function summarise({ on, jobs, permissions, ...rest }: z.infer<typeof Parsed>): WorkflowFile {
  const body = JSON.stringify(jobs);
  const secrets = [...JSON.stringify({ jobs, rest }).matchAll(/\bsecrets(?:\.|\[')([A-Za-z_]\w*)/g)]
    .map(([, name = '']) => name.toUpperCase())
    .filter((name) => name !== 'GITHUB_TOKEN');
  return {
    runName: rest['run-name'],
    inputs: readInputs(on),
    events: typeof on === 'string' ? [on] : Array.isArray(on) ? on : Object.keys(on),
    call: readCall(Object.values(jobs), permissions),
    permissions: [
      { where: 'permissions', value: permissions },
      ...Object.entries(jobs)
        .filter(([, job]) => job.permissions !== undefined)
        .map(([name, job]) => ({ where: `jobs.${name}.permissions`, value: job.permissions })),
    ],
    uses: Object.values(jobs).flatMap(usesOf),
    jobs: Object.entries(jobs).map(([name, job]) => summariseJob(name, job, rest.env)),
    secrets: [...new Set(secrets)].slice(0, MAX_SECRETS),
    hasEnvironment: Object.values(jobs).some(({ environment }) => environment !== undefined),
    leaksTicket: /inputs\.ticket|toJSON\(\s*(?:inputs|github)/i.test(body),
  };
}

function usesOf({ uses: called, steps }: z.infer<typeof Job>): string[] {
  return [...(called === undefined ? [] : [called]), ...steps.flatMap(({ uses }) => uses ?? [])];
}

const OWN_WORKFLOW = /^(?<repository>[\w.-]+\/[\w.-]+)\/\.github\/workflows\/run\.yml(?<version>@\S+)$/;

/** A copy of Autobuild may have any name, so the key of the model that is passed to it counts as well. */
function readCall(jobs: z.infer<typeof Job>[], ofFile: unknown): CalledWorkflow | undefined {
  for (const job of jobs) {
    const { repository, version = '' } = OWN_WORKFLOW.exec(job.uses ?? '')?.groups ?? {};
    const isOurs = repository && (/autobuild/i.test(repository) || 'model_key' in (job.secrets ?? {}));
    if (!isOurs) continue;
    return {
      permissions: job.permissions ?? ofFile,
      secrets: job.secrets ?? {},
      action: `${repository}${version}`,
      agent: readPlain(job.with?.agent),
      label: readPlain(job.with?.label),
      hasChecks: String(job.with?.checks ?? '').trim() !== '',
    };
  }
  return undefined;
}

/** An expression is known only to GitHub. */
function readPlain(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' && !value.includes('${{')
    ? value.trim()
    : undefined;
}

function summariseJob(name: string, job: z.infer<typeof Job>, env: z.infer<typeof Env>): WorkflowJob {
  const { environment, 'timeout-minutes': timeout } = job;
  const minutes = [...job.steps.map((step) => step.env), job.env, env]
    .map((values) => values?.AUTOBUILD_JOB_MINUTES)
    .find((value) => value !== undefined);
  return {
    name,
    uses: usesOf(job),
    steps: job.steps.map(({ uses, run, with: inputs, ...step }) => ({
      uses,
      run,
      desk: typeof inputs?.desk === 'string' ? inputs.desk : undefined,
      timeoutMinutes: readMinutes(step['timeout-minutes']),
    })),
    isVerify: /'verify'/.test(String(job.if)),
    runsOn: readLabels(job['runs-on']),
    timeoutMinutes: readMinutes(timeout),
    jobMinutes: minutes === undefined ? undefined : String(minutes),
    environment: readName(environment),
  };
}

function readMinutes(value: unknown): Minutes {
  return value === undefined || typeof value === 'number' ? value : 'unreadable';
}

/** `runs-on` is a label, a list of labels, or a group with labels. */
function readLabels(value: unknown): string[] | undefined {
  const labels =
    typeof value === 'object' && value !== null && 'labels' in value
      ? (value as { labels: unknown }).labels
      : value;
  const list = [labels].flat();
  return list.every((label) => typeof label === 'string') ? list : undefined;
}

function readName(environment: unknown): string | undefined {
  const { name = environment } = (environment ?? {}) as { name?: unknown };
  return typeof name === 'string' ? name : undefined;
}

function readInputs(on: z.infer<typeof Parsed>['on']): WorkflowFile['inputs'] {
  if (typeof on === 'string') return on === 'workflow_dispatch' ? {} : undefined;
  if (Array.isArray(on)) return on.includes('workflow_dispatch') ? {} : undefined;
  return 'workflow_dispatch' in on ? (on.workflow_dispatch?.inputs ?? {}) : undefined;
}
