import * as z from 'zod';

const text = z.union([z.string(), z.number(), z.boolean()]).transform(String);
const texts = z.record(z.string(), z.union([text, z.null().transform(() => '')])).default({});
const names = z.union([z.string().transform((one) => [one]), z.array(z.string())]);
const condition = z.union([z.string(), z.boolean()]).optional();

const Step = z.object({
  id: z.string().optional(),
  name: z.string().optional(),
  if: condition,
  uses: z.string().optional(),
  run: z.string().optional(),
  shell: z.string().optional(),
  'working-directory': z.string().optional(),
  'continue-on-error': z.union([z.boolean(), z.string()]).optional(),
  with: texts,
  env: texts,
});

const Concurrency = z.union([
  z.string().transform((group) => ({ group, 'cancel-in-progress': false as boolean | string })),
  z.object({ group: z.string(), 'cancel-in-progress': z.union([z.boolean(), z.string()]).default(false) }),
]);
const Permissions = z.union([
  z.literal('read-all'),
  z.literal('write-all'),
  z.record(z.string(), z.enum(['read', 'write', 'none'])),
]);

const Job = z
  .object({
    name: z.string().optional(),
    if: condition,
    needs: names.default([]),
    permissions: Permissions.optional(),
    concurrency: Concurrency.optional(),
    env: texts,
    outputs: texts,
    steps: z.array(Step).default([]),
    uses: z.string().optional(),
    with: z.record(z.string(), z.unknown()).default({}),
    secrets: z.union([z.literal('inherit'), texts]).default({}),
    strategy: z.undefined({ error: 'The sandbox has no strategy.' }).optional(),
  })
  .strip();

const Input = z.object({
  required: z.boolean().default(false),
  type: z.string().default('string'),
  default: z.unknown().optional(),
  options: z.array(z.string()).optional(),
});
const Inputs = z.record(z.string(), z.union([z.null().transform(() => Input.parse({})), Input])).default({});

/** An event of `on:`. */
const Trigger = z.object({
  types: names.optional(),
  inputs: Inputs,
  secrets: z
    .record(z.string(), z.object({ required: z.boolean().default(false) }).nullable())
    .nullish()
    .transform((some) => some ?? {}),
  outputs: z.record(z.string(), z.object({ value: z.string() })).default({}),
});
const NO_DETAILS = Trigger.parse({});
const On = z.union([
  names.transform((some) => Object.fromEntries(some.map((name) => [name, NO_DETAILS]))),
  z.record(
    z.string(),
    // A schedule is a list of times.
    z.union([
      z.null().transform(() => NO_DETAILS),
      z.array(z.unknown()).transform(() => NO_DETAILS),
      Trigger,
    ]),
  ),
]);

const Parsed = z.object({
  name: z.string().optional(),
  'run-name': z.string().optional(),
  on: On,
  permissions: Permissions.optional(),
  env: texts,
  concurrency: Concurrency.optional(),
  jobs: z.record(z.string(), Job),
});

export type WorkflowStep = z.infer<typeof Step>;
export type WorkflowJob = z.infer<typeof Job>;
export type AskedPermissions = z.infer<typeof Permissions>;
export type DeclaredInputs = z.infer<typeof Inputs>;

/** The parts of a workflow that the sandbox understands. */
export interface WorkflowFile extends Omit<z.infer<typeof Parsed>, 'name' | 'run-name'> {
  file: string;
  name: string;
  runName?: string;
}

export function readWorkflow(file: string, parsed: unknown): WorkflowFile {
  const { name, 'run-name': runName, ...rest } = Parsed.parse(parsed);
  return { file, name: name ?? `.github/workflows/${file}`, runName, ...rest };
}
