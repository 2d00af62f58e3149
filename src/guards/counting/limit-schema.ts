import * as z from 'zod';

// YAML 1.1 readers turn a bare `off` into false and `on` into true.
const Off = z.literal(['off', false]);
const isOff = (value: unknown) => Off.safeParse(value).success;

/** Schema of the value under `guards.<id>`: the guard's own values, or `off`. Every error lists `allowed`. */
export function limitSchema<Config>(
  schema: z.ZodType<Config>,
  allowed: string,
  fallback: Config | 'off',
): z.ZodType<Config | 'off'> {
  const given = z.unknown().transform((value, context) => {
    if (isOff(value)) return 'off';
    const read = schema.safeParse(value);
    if (read.success) return read.data;
    context.addIssue({ code: 'custom', message: allowed, input: value });
    return z.NEVER;
  }) as z.ZodType<Config | 'off'>;
  // JSON Schema cannot see the values that a transform accepts. A getter, because most runs never need the JSON Schema.
  const shown = given.meta({
    get anyOf() {
      return z.toJSONSchema(z.union([schema, Off]), { io: 'input' }).anyOf;
    },
  });
  return shown.default(fallback as z.core.util.NoUndefined<Config | 'off'>);
}

/** A whole number from 1 to `max`, as most guards take it. */
export function countLimit(fallback: number, max: number) {
  const allowed = `a whole number from 1 to ${max}, or \`off\``;
  return { config: limitSchema(z.number().int().min(1).max(max), allowed, fallback), allowed };
}

export const On = z.literal(['on', true]).transform((): 'on' => 'on');

export function switchLimit() {
  const allowed = '`on` or `off`';
  return { config: limitSchema<'on'>(On, allowed, 'on'), allowed };
}
