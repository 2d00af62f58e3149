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
const Step = z.looseObject({ uses: z.string().optional() });
const Job = z.looseObject({
  permissions: z.unknown().optional(),
  steps: z.array(Step).default([]),
  environment: z.unknown().optional(),
});
const Parsed = z.looseObject({
  'run-name': z.string().default(''),
  on: z.union([z.string(), z.array(z.string()), z.looseObject({ workflow_dispatch: Dispatch.optional() })]),
  permissions: z.unknown().optional(),
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
  uses: string[];
  /** Names after `secrets.`. Names in YAML comments do not count. */
  secrets: string[];
  hasEnvironment: boolean;
  /** True when the ticket is passed to a step, where it would be logged. */
  leaksTicket: boolean;
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
    permissions: [
      { where: 'permissions', value: permissions },
      ...Object.entries(jobs)
        .filter(([, job]) => job.permissions !== undefined)
        .map(([name, job]) => ({ where: `jobs.${name}.permissions`, value: job.permissions })),
    ],
    uses: Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ uses }) => uses ?? [])),
    secrets: [...new Set(secrets)].slice(0, MAX_SECRETS),
    hasEnvironment: Object.values(jobs).some(({ environment }) => environment !== undefined),
    leaksTicket: /inputs\.ticket|toJSON\(\s*(?:inputs|github)/i.test(body),
  };
}

function readInputs(on: z.infer<typeof Parsed>['on']): WorkflowFile['inputs'] {
  if (typeof on === 'string') return on === 'workflow_dispatch' ? {} : undefined;
  if (Array.isArray(on)) return on.includes('workflow_dispatch') ? {} : undefined;
  return 'workflow_dispatch' in on ? (on.workflow_dispatch?.inputs ?? {}) : undefined;
}
