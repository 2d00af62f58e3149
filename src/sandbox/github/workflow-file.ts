import * as z from 'zod';

const text = z.union([z.string(), z.number(), z.boolean()]).transform(String);
const Step = z.object({
  name: z.string().optional(),
  if: z.string().optional(),
  uses: z.string().optional(),
  run: z.string().optional(),
  'working-directory': z.string().optional(),
  with: z.record(z.string(), text).default({}),
  env: z.record(z.string(), text).default({}),
});
const Job = z.object({ if: z.string().optional(), steps: z.array(Step) });
const Input = z.object({ required: z.boolean().default(false), options: z.array(z.string()).optional() });
const Parsed = z.object({
  name: z.string(),
  'run-name': z.string().optional(),
  on: z.object({ workflow_dispatch: z.object({ inputs: z.record(z.string(), Input).default({}) }) }),
  concurrency: z.object({ group: z.string() }).optional(),
  jobs: z.record(z.string(), Job),
});

export type WorkflowStep = z.infer<typeof Step>;

/** The parts of a workflow that the sandbox's runner understands. */
export interface WorkflowFile {
  file: string;
  name: string;
  runName: string;
  /** Runs of one group wait for each other. */
  group?: string;
  inputs: Record<string, z.infer<typeof Input>>;
  jobs: Record<string, z.infer<typeof Job>>;
}

export function readWorkflow(file: string, parsed: unknown): WorkflowFile {
  const { name, on, concurrency, jobs, ...rest } = Parsed.parse(parsed);
  return {
    file,
    name,
    runName: rest['run-name'] ?? name,
    group: concurrency?.group,
    inputs: on.workflow_dispatch.inputs,
    jobs,
  };
}

interface Contexts {
  inputs: Record<string, string>;
  secrets?: Record<string, string>;
}

/**
 * Replaces `${{ inputs.x }}` and `${{ secrets.X }}`, which is all that the template uses. An unknown name is empty, as
 * in Actions.
 */
export function fillIn(template: string, { inputs, secrets = {} }: Contexts): string {
  return template.replaceAll(/\$\{\{\s*(\w+)\.(\w+)\s*\}\}/g, (_, context: string, name: string) => {
    if (context === 'inputs') return inputs[name] ?? '';
    if (context === 'secrets') return secrets[name] ?? '';
    throw new Error(`The sandbox's runner does not know the context ${context}.`);
  });
}

/** Evaluates `inputs.kind == 'build'`, or no condition. */
export function isWanted(condition: string | undefined, { inputs }: Contexts): boolean {
  if (condition === undefined) return true;
  const asked = /^inputs\.(\w+) == '([^']*)'$/.exec(condition.trim());
  if (!asked) throw new Error(`The sandbox's runner does not understand the condition ${condition}.`);
  return inputs[asked[1] ?? ''] === asked[2];
}
