import type { GateEdit } from '../core/contracts/gate.ts';

type Args = Record<string, unknown>;

/** The edit that a tool is about to make, from its arguments under the names that the CLIs use. Undefined if they do not say. */
export function readEdit(args: Args): GateEdit | undefined {
  const content = textIn(args, ['content', 'file_text']);
  if (content !== undefined) return { content };
  const one = readReplacement(args);
  if (one) return { replace: [one] };
  if (!Array.isArray(args.edits)) return undefined;
  const all = args.edits.map((edit: unknown) =>
    typeof edit === 'object' && edit !== null ? readReplacement(edit as Args) : undefined,
  );
  const replace = all.filter((edit) => edit !== undefined);
  return replace.length > 0 && replace.length === all.length ? { replace } : undefined;
}

function readReplacement(args: Args): { old: string; new: string; all?: boolean } | undefined {
  const old = textIn(args, ['old_string', 'old_str', 'oldString']);
  const text = textIn(args, ['new_string', 'new_str', 'newString']);
  if (old === undefined || text === undefined) return undefined;
  const all = args.replace_all === true || args.replaceAll === true;
  return { old, new: text, ...(all ? { all } : {}) };
}

function textIn(args: Args, names: readonly string[]): string | undefined {
  const name = names.find((key) => typeof args[key] === 'string');
  return name === undefined ? undefined : (args[name] as string);
}
