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
