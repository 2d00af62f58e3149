import * as z from 'zod';

/** A reference to a value that was given. The value itself is stored in the vault only (P-4). */
export const InputRef = z.object({
  ref: z.string(),
  length: z.number().int().nonnegative(),
  /** The value is not in the vault but in the job's environment under this name: an Actions secret that the workflow passes. */
  actions_secret: z.string().optional(),
});
export type InputRef = z.infer<typeof InputRef>;

export interface BareCommand {
  /** The command's row in `/help`, `autobuild --help` and the README. */
  summary: string;
  /** `/status?` is a fair way to ask, but `/cancel?` is a question to people and not an order. */
  mayBeAsked?: boolean;
}

/** The commands without arguments. A row is the whole grammar of its command; its rule is in `core/decide/commands`. */
export const BARE_COMMANDS = {
  retry: { summary: 'retry, with the error history' },
  debug: { summary: 'one turn to find the root cause, no code changes' },
  skip: { summary: 'list it as a known issue and finish the rest' },
  accept: { summary: 'finish now with what works, marked partial' },
  review: { summary: 'show the full history, then ask again', mayBeAsked: true },
  pause: { summary: 'save the work and wait, without reminders' },
  cancel: { summary: 'stop here; the branch is kept' },
  terminate: { summary: 'end this run; the branch is kept' },
  status: { summary: 'show where the run stands', mayBeAsked: true },
  help: { summary: 'list the commands that make sense now', mayBeAsked: true },
} satisfies Record<string, BareCommand>;
export type BareCommandName = keyof typeof BARE_COMMANDS;

interface TextCommand {
  summary: string;
  /** A line that parses, shown when the right form has to be shown. */
  example: string;
}

/** The commands whose only argument is free text. A row is the whole grammar here, too. */
export const TEXT_COMMANDS = {
  guide: {
    summary: 'a hint; the agent keeps its approach',
    example: '/guide Look at how the cart rounds prices',
  },
  override: {
    summary: 'stop, and do this instead',
    example: '/override Leave the webhook out and finish the payment form',
  },
} satisfies Record<string, TextCommand>;
export type TextCommandName = keyof typeof TEXT_COMMANDS;

interface Arguments<Shape extends z.ZodRawShape> {
  /** As the rules and the journal see them: with references instead of values. */
  sealed: Shape;
  /** The words after the command's name when it is shown. Values never appear. */
  shown(given: z.infer<z.ZodObject<Shape>>): (string | undefined | false)[];
}

const takes = <Shape extends z.ZodRawShape>(
  sealed: Shape,
  shown: Arguments<Shape>['shown'],
): Arguments<Shape> => ({ sealed, shown });

const NO_ARGUMENTS = takes({}, () => []);
const TEXT = takes(
  {
    text: z.string().min(1),
    /** The number of parts and characters that readers of the comment do not see, so that the text is without them. */
    hidden: z.number().int().positive().optional(),
  },
  ({ text }) => [text],
);

/** The arguments of every command, in the order of the README. A command that is in no table above has a grammar in `commands/spec`. */
const ARGUMENTS = {
  provide: takes({ inputs: z.record(z.string(), InputRef) }, ({ inputs }) =>
    Object.keys(inputs).map((key) => `${key}=…`),
  ),
  continue: takes(
    {
      turns: z.number().int().positive().optional(),
      minutes: z.number().int().positive().optional(),
      new_approach: z.boolean().default(false),
      agent: z.string().optional(),
      /** At rest: bring the commits of the default branch into the pull request (V-6). */
      update: z.literal(true).optional(),
    },
    ({ turns, minutes, new_approach, agent, update }) => [
      turns !== undefined && `+${turns}`,
      minutes !== undefined && `+${minutes}min`,
      new_approach && 'new-approach',
      agent !== undefined && `agent=${agent}`,
      update && 'update',
    ],
  ),
  ...forEachName(TEXT_COMMANDS, TEXT),
  approve: takes(
    { files: z.number().int().positive().optional(), paths: z.array(z.string()).optional() },
    ({ files, paths }) => [
      files !== undefined && `files=${files}`,
      paths !== undefined && `paths=${paths.join(',')}`,
    ],
  ),
  ...forEachName(BARE_COMMANDS, NO_ARGUMENTS),
};

function forEachName<Name extends string, Value>(
  table: Record<Name, unknown>,
  value: Value,
): Record<Name, Value> {
  return Object.fromEntries(Object.keys(table).map((name) => [name, value])) as Record<Name, Value>;
}

export type CommandName = keyof typeof ARGUMENTS;
/** Every command an operator can give by comment, ticked box, form or terminal. */
export const COMMAND_NAMES = Object.keys(ARGUMENTS) as CommandName[];

type SealedShapes = { [Name in CommandName]: (typeof ARGUMENTS)[Name]['sealed'] };
const sealedShapes = Object.fromEntries(
  COMMAND_NAMES.map((name) => [name, ARGUMENTS[name].sealed]),
) as SealedShapes;
const clearShapes = { ...sealedShapes, provide: { inputs: z.record(z.string(), z.string()) } };

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

/** A command as a person would type it, with the names of values but never the values. */
export function showCommand(command: Command | SealedCommand): string {
  const { shown } = ARGUMENTS[command.name] as { shown(given: Command | SealedCommand): unknown[] };
  return [`/${command.name}`, ...shown(command).filter(Boolean)].join(' ');
}

/** A `/provide` without its values, for a person to fill in. */
export function provideForm(keys: readonly string[]): string {
  return ['/provide', ...keys.map((key) => `${key}=`)].join(' ');
}

/** Begins the instruction that tells the agent about values. Their keys follow. */
export const VALUES_ARE_THERE = 'The values you asked for are there:';

/**
 * The channel of a command. `github` marks an act of a person on GitHub that counts as one, such as removing the label.
 * `autobuild` marks a command that no person gave, such as the cancel after another App locked the issue.
 */
export const Via = z.enum(['comment', 'tick', 'form', 'terminal', 'answer_flag', 'github', 'autobuild']);

/** V-9: whether the command was given on a machine where the work is files, and no pull request. */
export function isAtTerminal(via: z.infer<typeof Via>): boolean {
  return via === 'terminal' || via === 'answer_flag';
}
