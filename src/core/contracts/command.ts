import * as z from 'zod';

/** A reference to a value that was given. The value itself is in the vault and nowhere else (P-4). */
export const InputRef = z.object({
  ref: z.string(),
  length: z.number().int().nonnegative(),
  /** The value is not in the vault but in the job's environment under this name: an Actions secret that the workflow passes. */
  actions_secret: z.string().optional(),
});
export type InputRef = z.infer<typeof InputRef>;

export interface BareCommand {
  /** Its row in `/help`, `autobuild --help` and the README. */
  summary: string;
  /** `/status?` is a fair way to ask, but `/cancel?` is a question to people and not an order. */
  mayBeAsked?: boolean;
}

/** The commands without arguments. A row is the whole grammar of its command; its rule is in `core/decide/commands`. */
export const BARE_COMMANDS = {
  retry: { summary: 'try again with the error history in hand' },
  debug: { summary: 'one turn to find the root cause, nothing else changed' },
  skip: { summary: 'list it as a known issue and finish the rest' },
  accept: { summary: 'finish now with what works, marked as partial' },
  review: { summary: 'show the full history, then ask again', mayBeAsked: true },
  pause: { summary: 'save the work and wait, without reminders' },
  cancel: { summary: 'stop here; the branch is kept' },
  terminate: { summary: 'end this run; the branch is kept' },
  status: { summary: 'say where the run stands', mayBeAsked: true },
  help: { summary: 'list the commands that make sense now', mayBeAsked: true },
} satisfies Record<string, BareCommand>;
export type BareCommandName = keyof typeof BARE_COMMANDS;

const bareShapes = Object.fromEntries(Object.keys(BARE_COMMANDS).map((name) => [name, {}])) as Record<
  BareCommandName,
  Record<never, never>
>;

/** The commands with arguments. Their grammar is in `commands/spec`. */
const argumentShapes = {
  provide: { inputs: z.record(z.string(), InputRef) },
  continue: {
    turns: z.number().int().positive().optional(),
    minutes: z.number().int().positive().optional(),
    new_approach: z.boolean().default(false),
    agent: z.string().optional(),
  },
  guide: { text: z.string().min(1) },
  override: { text: z.string().min(1) },
  approve: {
    files: z.number().int().positive().optional(),
    paths: z.array(z.string()).optional(),
  },
};

const sealedShapes = { ...argumentShapes, ...bareShapes };
const clearShapes = { ...sealedShapes, provide: { inputs: z.record(z.string(), z.string()) } };

export type CommandName = keyof typeof sealedShapes;
/** Every command an operator can give by comment, ticked box, form or terminal. */
export const COMMAND_NAMES = Object.keys(sealedShapes) as CommandName[];

/** A command as the parser yields it, with values in clear and not yet stored anywhere. */
export const Command = unionByName(clearShapes);
export type Command = z.infer<typeof Command>;

/** A command as the rules and the journal see it, with references instead of values. */
export const SealedCommand = unionByName(sealedShapes);
export type SealedCommand = z.infer<typeof SealedCommand>;

type NamedObject<Shapes extends Record<string, z.ZodRawShape>> = {
  [Name in keyof Shapes & string]: z.ZodObject<{ name: z.ZodLiteral<Name> } & Shapes[Name]>;
}[keyof Shapes & string];

function unionByName<Shapes extends Record<string, z.ZodRawShape>>(shapes: Shapes) {
  const objects = Object.entries(shapes).map(([name, shape]) =>
    z.object({ name: z.literal(name), ...shape }),
  ) as unknown[] as [NamedObject<Shapes>, ...NamedObject<Shapes>[]];
  return z.discriminatedUnion('name', objects);
}

type EitherCommand = Command | SealedCommand;
type ShownArguments = {
  [Name in keyof typeof argumentShapes]: (
    command: Extract<EitherCommand, { name: Name }>,
  ) => (string | undefined | false)[];
};

const SHOWN_ARGUMENTS: ShownArguments = {
  provide: ({ inputs }) => Object.keys(inputs).map((key) => `${key}=…`),
  continue: ({ turns, minutes, new_approach, agent }) => [
    turns !== undefined && `+${turns}`,
    minutes !== undefined && `+${minutes}min`,
    new_approach && 'new-approach',
    agent !== undefined && `agent=${agent}`,
  ],
  guide: ({ text }) => [text],
  override: ({ text }) => [text],
  approve: ({ files, paths }) => [
    files !== undefined && `files=${files}`,
    paths !== undefined && `paths=${paths.join(',')}`,
  ],
};

/** A command as a person would type it, with the names of values but never the values. */
export function showCommand(command: EitherCommand): string {
  const show = (SHOWN_ARGUMENTS as Partial<Record<CommandName, (command: EitherCommand) => unknown[]>>)[
    command.name
  ];
  return [`/${command.name}`, ...(show?.(command) ?? []).filter(Boolean)].join(' ');
}

/** The way a command came. `autobuild` stands for a command that no person gave, such as the pause after a failed dispatch. */
export const Via = z.enum(['comment', 'tick', 'form', 'terminal', 'answer_flag', 'autobuild']);
