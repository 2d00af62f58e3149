import { quoteShellWords } from './shell-words.ts';

/**
 * The hook as one line for `sh`, for agents that take silence for a yes: only a hook that ended well and said something
 * is passed on. Missing, killed or silent, it is a refusal.
 */
export function askingCommand(hook: readonly string[]): string {
  const asked = `answer=$(${quoteShellWords(hook.length > 0 ? hook : ['false'])}); code=$?`;
  const heard = '[ -n "$answer" ] && { [ $code -eq 0 ] || [ $code -eq 2 ]; }';
  return `${asked}; if ${heard}; then printf '%s\\n' "$answer"; exit $code; fi; echo 'the gate could not be asked' >&2; exit 2`;
}

/**
 * The same for agents that take a bare exit code 0 for a yes. The words are needed: Codex lets an edit through when its
 * hook blocks it without any.
 */
export function refusingCommand(hook: readonly string[]): string {
  const asked = quoteShellWords(hook.length > 0 ? hook : ['false']);
  return `${asked} && exit 0; echo 'The gate did not allow this edit.' >&2; exit 2`;
}
