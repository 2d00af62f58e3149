import * as z from 'zod';

/** The rule for one value of the file. */
export interface ValueRule {
  /** The allowed values, as an error message lists them. */
  readonly allowed: string;
  /** The rules of the value's keys, if it is a map. `*` means any name that people choose. */
  readonly keys?: Readonly<Record<string, ValueRule>>;
}

/** One key of `.github/autobuild.yml`. The reader, its error messages, the template, the docs and the JSON Schema use this entry. */
export interface Setting<Schema extends z.ZodType = z.ZodType> extends ValueRule {
  /** Parses a missing value to the default. */
  readonly schema: Schema;
  /** Sentences for the template, the docs and the JSON Schema. */
  readonly words: string;
  /** The effect of leaving the key out, where the default is nothing or empty. */
  readonly unset?: string;
  readonly example: unknown;
  /** Every repository has to decide this value, so the template sets it to the example instead of commenting it out. */
  readonly decided?: true;
}

/** A map whose keys are settings themselves. */
export interface SettingGroup<Schema extends z.ZodType = z.ZodType> extends ValueRule {
  readonly schema: Schema;
  readonly words: string;
  readonly keys: Readonly<Record<string, Setting>>;
  readonly isGroup: true;
}

type Schemas<Entries> = {
  [Key in keyof Entries]: Entries[Key] extends { schema: infer Schema } ? Schema : never;
};

export function schemasOf<Entries extends Readonly<Record<string, { schema: z.ZodType }>>>(
  entries: Entries,
): Schemas<Entries> {
  const schemas = Object.entries(entries).map(([key, { schema }]) => [key, schema]);
  return Object.fromEntries(schemas) as Schemas<Entries>;
}

export function groupSettings<Settings extends Readonly<Record<string, Setting>>>(
  words: string,
  keys: Settings,
) {
  const object = z.strictObject(schemasOf(keys));
  return {
    words,
    keys,
    isGroup: true,
    allowed: `a map with ${Object.keys(keys).join(', ')}`,
    // Every setting of a group parses a missing value, so the empty map is a valid input.
    schema: object.prefault({} as z.input<typeof object>),
  } as const;
}
