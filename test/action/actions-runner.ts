/** How the Actions runner finds commands in a step's output, in our own words. */
export interface HeardCommand {
  name: string;
  data: string;
}

const KNOWN = new Set(
  'add-mask add-path debug echo endgroup error group notice save-state set-env set-output stop-commands warning'.split(
    ' ',
  ),
);

export function listenAsRunner(output: string): { commands: HeardCommand[]; shown: string } {
  const commands: HeardCommand[] = [];
  const shown: string[] = [];
  let word: string | undefined;
  for (const line of output.split(/\r\n|\n|\r/)) {
    const command = readNew(line) ?? readLegacy(line);
    if (word !== undefined) {
      if (command?.name === word) word = undefined;
      else shown.push(line);
    } else if (command?.name === 'stop-commands') word = command.data;
    else if (command && KNOWN.has(command.name)) commands.push(command);
    else shown.push(line);
  }
  return { commands, shown: shown.join('\n') };
}

/** `::name key=value::data`, after any blanks. */
function readNew(line: string): HeardCommand | undefined {
  const text = line.trimStart();
  const end = text.indexOf('::', 2);
  if (!text.startsWith('::') || end < 0) return undefined;
  const [name = ''] = text.slice(2, end).split(' ');
  return { name, data: decode(text.slice(end + 2)) };
}

/** `##[name key=value]data`, wherever it stands. */
function readLegacy(line: string): HeardCommand | undefined {
  const begin = line.indexOf('##[');
  const end = line.indexOf(']', begin);
  if (begin < 0 || end < 0) return undefined;
  const [name = ''] = line.slice(begin + 3, end).split(' ');
  return { name, data: line.slice(end + 1) };
}

function decode(text: string): string {
  return text.replaceAll('%0D', '\r').replaceAll('%0A', '\n').replaceAll('%25', '%');
}
