const WORDS =
  'the parser reads one line at a time and returns an event when the type is known otherwise it keeps text so that nothing is lost check expected received undefined const return async import function error in src test passed naïve – “quoted”'.split(
    ' ',
  );

/** An agent's output as JSON lines, about `bytes` long. The text is the same on every machine. */
export function makeAgentLines(bytes: number): string {
  const next = createSequence();
  const lines: string[] = [];
  let size = 0;
  for (let number = 0; size < bytes; number += 1) {
    for (const event of makeStep(number, next)) {
      const line = `${JSON.stringify(event)}\n`;
      lines.push(line);
      size += Buffer.byteLength(line);
    }
  }
  return lines.join('');
}

/** Some text, one tool call, occasionally a long output, and the usage. */
function makeStep(number: number, next: (below: number) => number): object[] {
  const id = `call_${number}`;
  const file = `src/part-${next(40)}/file-${next(200)}.ts`;
  const deltas = Array.from({ length: 4 + next(12) }, () => ({
    type: 'text',
    text: makeText(5 + next(25), next),
    delta: true,
  }));
  const lines = number % 25 === 24 ? 1_250 : 3 + next(60);
  const output = Array.from({ length: lines }, (_, at) => makeOutputLine(at, next)).join('\n');
  const failed = number % 20 === 7;
  const kind = number % 3 === 0 ? 'command' : number % 3 === 1 ? 'read' : 'edit';
  const command = kind === 'command' ? { command: `npm test -- ${file}` } : {};
  return [
    ...deltas,
    { type: 'tool_started', id, kind, ...command, paths: [file] },
    { type: 'tool_ended', id, ok: !failed, exit_code: failed ? 1 : 0, output, paths: [file] },
    { type: 'usage', scope: 'step', input_tokens: 900 + next(9_000), output_tokens: next(800) },
  ];
}

function makeOutputLine(at: number, next: (below: number) => number): string {
  switch (next(4)) {
    case 0:
      return `  ✓ ${makeText(6, next)} (${next(900)} ms)`;
    case 1:
      return `${at}\t  if (part[${next(9)}] < "${makeText(3, next)}") return Map<string, number>;`;
    default:
      return `    ${makeText(11, next)}`;
  }
}

function makeText(words: number, next: (below: number) => number): string {
  return Array.from({ length: words }, () => WORDS[next(WORDS.length)]).join(' ');
}

/** A linear congruential sequence instead of randomness, so that every round reads the same bytes. */
function createSequence(): (below: number) => number {
  let state = 42;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
