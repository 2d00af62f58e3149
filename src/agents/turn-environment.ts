import type { TurnSpec } from './agent.ts';

/** The variables that the prompt promises to every agent. */
export function turnEnvironment({
  files,
  inputs,
}: Pick<TurnSpec, 'files' | 'inputs'>): Record<string, string> {
  return {
    AUTOBUILD_PROMPT: files.prompt,
    AUTOBUILD_CONTEXT: files.context,
    AUTOBUILD_INPUTS: files.inputs,
    AUTOBUILD_REPORT: files.report,
    AUTOBUILD_GATE: files.gate,
    ...Object.fromEntries(
      Object.entries(inputs)
        // No variable can contain a NUL. The inputs file has the value anyway.
        .filter(([, value]) => !value.includes('\0'))
        .map(([key, value]) => [`AUTOBUILD_INPUT_${variableName(key)}`, value]),
    ),
  };
}

export function variableName(key: string): string {
  return key.toUpperCase().replaceAll(/[^A-Z0-9_]/g, '_');
}
