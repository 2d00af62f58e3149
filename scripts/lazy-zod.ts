import * as zod from 'zod/v4';

/**
 * zod for the bundle of the action. A schema is recorded when its module is loaded and made when it is first used: a job uses few of
 * them before its agent starts, and making all of them takes longer than starting Node.
 */
// biome-ignore lint/performance/noBarrelFile: functions that are not recorded below make their schema at once
export * from 'zod/v4';

export const array = recorded(zod.array);
export const base64 = recorded(zod.base64);
export const boolean = recorded(zod.boolean);
export const coerce = { ...zod.coerce, number: recorded(zod.coerce.number) };
export const discriminatedUnion = recorded(zod.discriminatedUnion);
const enumeration = recorded(zod.enum);

export { enumeration as enum };
export const iso = { ...zod.iso, datetime: recorded(zod.iso.datetime) };
export const literal = recorded(zod.literal);
export const looseObject = recorded(zod.looseObject);
export const number = recorded(zod.number);
export const object = recorded(zod.object);
export const partialRecord = recorded(zod.partialRecord);
export const record = recorded(zod.record);
export const strictObject = recorded(zod.strictObject);
export const string = recorded(zod.string);
export const union = recorded(zod.union);
export const unknown = recorded(zod.unknown);
export const url = recorded(zod.url);
export const uuid = recorded(zod.uuid);

/** Methods that make a schema from another one. Any other property needs the schema itself. */
const CHAINED = new Set<PropertyKey>(
  `array catch default extend int max meta min nonnegative nullable nullish omit optional or partial pick positive prefault refine
  regex startsWith transform trim`.split(/\s+/),
);

type Schema = Record<PropertyKey, unknown>;
type Create = (...args: never[]) => unknown;

/** The functions that make the schemas, by what stands for them. */
const makers = new WeakMap<object, () => Schema>();

function recorded<Creates extends Create>(create: Creates): Creates {
  return ((...args: unknown[]) => standFor(() => call(create, undefined, args))) as unknown as Creates;
}

function standFor(create: () => Schema): object {
  let schema: Schema | undefined;
  const make = () => {
    schema ??= create();
    return schema;
  };
  const get = (_target: object, name: PropertyKey) => {
    if (CHAINED.has(name))
      return (...args: unknown[]) => standFor(() => call(make()[name] as Create, make(), args));
    const value = make()[name];
    return typeof value === 'function' ? value.bind(make()) : value;
  };
  const stand = new Proxy({}, { get });
  makers.set(stand, make);
  return stand;
}

function call(create: Create, self: unknown, args: unknown[]): Schema {
  return Reflect.apply(create, self, args.map(made)) as Schema;
}

/** The schemas themselves in place of what stands for them, also in a list or a shape. */
function made(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(made);
  if (value === null || typeof value !== 'object') return value;
  const make = makers.get(value);
  if (make) return make();
  if (!isShape(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, made(each)]));
}

/** A getter is not called, because it may need other schemas. */
function isShape(value: object): boolean {
  return Object.values(Object.getOwnPropertyDescriptors(value)).some(
    (each) => typeof each.value === 'object' && each.value !== null && makers.has(each.value),
  );
}
