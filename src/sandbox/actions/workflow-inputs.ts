import type { DeclaredInputs } from './workflow-file.ts';

/** Checks the inputs of a dispatch or a call, and names the first mistake in GitHub's words. */
export function checkInputs(declared: DeclaredInputs, given: Record<string, unknown>): string | undefined {
  const unknown = Object.keys(given).filter((name) => !(name in declared));
  if (unknown.length > 0) return `Unexpected inputs provided: ${JSON.stringify(unknown)}`;
  for (const [name, { required, options, default: usual }] of Object.entries(declared)) {
    const value = given[name];
    if (required && usual === undefined && (value === undefined || value === ''))
      return `Required input '${name}' not provided`;
    if (value !== undefined && options && !options.includes(String(value)))
      return `Provided value '${value}' for input '${name}' not in the list of allowed values`;
  }
  return undefined;
}

/** The `inputs` context: every declared input, by its type. */
export function typeInputs(
  declared: DeclaredInputs,
  given: Record<string, unknown>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(declared).map(([name, { type, default: usual }]) => {
      const value = given[name] ?? usual;
      if (type === 'boolean') return [name, value === true || value === 'true'];
      if (type === 'number') return [name, Number(value ?? 0)];
      return [name, value === undefined || value === null ? '' : String(value)];
    }),
  );
}
