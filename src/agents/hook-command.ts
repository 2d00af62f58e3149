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

/**
 * The same, but the hook is asked only about input that has one of the words. The shell's own commands decide it, because
 * a program for every command of the agent would slow it down. Input that is not one whole line of JSON is asked about.
 */
export function refusingIfMentioned(words: readonly string[], hook: readonly string[]): string {
  const mentioned = words.map((word) => `*${word}*`).join(' | ');
  const asked = quoteShellWords(hook.length > 0 ? hook : ['false']);
  const skip = `case $input in ${mentioned}) ;; '{'*'}') exit 0 ;; esac`;
  return `IFS= read -r input; ${skip}; { printf '%s\\n' "$input"; cat; } | ${asked} && exit 0; echo 'The gate did not allow this edit.' >&2; exit 2`;
}
