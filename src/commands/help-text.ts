import type { CommandName } from '../core/contracts/command.ts';
import { COMMANDS } from './registry.ts';

/** Help for these commands, in this order. */
export function helpRows(names: readonly CommandName[]): { usage: string; summary: string }[] {
  return names.map((name) => ({ usage: COMMANDS[name].usage, summary: COMMANDS[name].summary }));
}
