import { quoteShellWords } from './shell-words.ts';

/**
 * The hook as one line for `sh`, for agents that treat silence or unreadable output as a yes. Only a decision of a hook
 * that exited with 0 is passed on. A missing, killed, silent or garbled hook is a refusal.
 */
export function askingCommand(hook: readonly string[]): string {
  const asked = `answer=$(${quoteShellWords(hook.length > 0 ? hook : ['false'])}); code=$?`;
  const decision = `'{"decision":"'*'}' | '{"permissionDecision":"'*'}'`;
  const pass = `{ [ $code -eq 0 ] || [ $code -eq 2 ]; } && { printf '%s\\n' "$answer"; exit $code; }`;
  return `${asked}; case $answer in ${decision}) ${pass} ;; esac; echo 'the gate could not be asked' >&2; exit 2`;
}

/**
 * The same for agents that treat exit code 0 without output as a yes. The words are needed, because Codex lets an edit
 * through when its hook blocks it without any.
 */
export function refusingCommand(hook: readonly string[]): string {
  const asked = quoteShellWords(hook.length > 0 ? hook : ['false']);
  return `${asked} && exit 0; echo 'The gate did not allow this edit.' >&2; exit 2`;
}
