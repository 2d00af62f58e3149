const MAX_CHARACTERS = 5_000_000;

/**
 * The log of one job as Actions keeps it. Masked values are hidden, and commands are ignored between `stop-commands`
 * and its token.
 */
export interface RunnerLog {
  write(text: string): void;
  text(): string;
  /** Masks any other text of the job, such as its summary, as Actions does. */
  hide(text: string): string;
}

export function createRunnerLog(secrets: string[], onText: (text: string) => void): RunnerLog {
  const masks = new Set(secrets.filter((secret) => secret.length > 0));
  let kept = '';
  let rest = '';
  /** The token that ends `stop-commands`. */
  let word: string | undefined;

  function hide(text: string): string {
    let shown = text;
    for (const mask of masks) shown = shown.replaceAll(mask, '***');
    return shown;
  }

  function keep(line: string): void {
    const shown = hide(line);
    if (kept.length < MAX_CHARACTERS) kept += `${shown}\n`;
    onText(`${shown}\n`);
  }

  function read(line: string): void {
    const command = /^\s*::([\w-]+)(?: [^:]*)?::(.*)$/.exec(line);
    if (command && command[1] === word) {
      word = undefined;
    } else if (!command || word !== undefined) keep(line);
    else if (command[1] === 'stop-commands') word = command[2];
    else if (command[1] === 'add-mask') masks.add(unescapeData(command[2] ?? ''));
    else keep(line);
  }

  return {
    hide,
    write(text) {
      const lines = (rest + text).split('\n');
      rest = (lines.pop() ?? '').slice(-MAX_CHARACTERS);
      for (const line of lines) read(line);
    },
    text: () => kept,
  };
}

function unescapeData(data: string): string {
  return data.replaceAll('%0D', '\r').replaceAll('%0A', '\n').replaceAll('%25', '%');
}
