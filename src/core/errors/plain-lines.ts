/** Where an operation's output is read: a log can be endless, its beginning and its end say what went wrong. */
const HEAD_CHARS = 64 * 1024;
const TAIL_CHARS = 256 * 1024;
const LINE_CHARS = 2_000;

// CSI and OSC sequences, then the two-character ones. Each alternative stops at the next ESC, so the scan stays linear.
const ANSI = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\^_])/g;

export function stripAnsi(text: string): string {
  return text.includes('\x1b') ? text.replace(ANSI, '') : text;
}

/** The output's lines without colours, bounded in number and length whatever the output is. */
export function readPlainLines(output: string): string[] {
  const bounded =
    output.length > HEAD_CHARS + TAIL_CHARS
      ? `${output.slice(0, HEAD_CHARS)}\n${output.slice(-TAIL_CHARS)}`
      : output;
  return stripAnsi(bounded)
    .split(/\r\n|\n|\r/)
    .map((line) => (line.length > LINE_CHARS ? line.slice(0, LINE_CHARS) : line));
}

const FAILURE_SECTION =
  /^(?:⎯+ (?:Failed Tests|Failed Suites|Unhandled Errors?|Unhandled Rejections?) |✖ failing tests:$|=+ (?:FAILURES|ERRORS) =+$|Summary of all failing tests$)/;

/**
 * The part of a test runner's output that tells of failures, where it has one.
 * What passing tests print before it may well contain "Error: …": that is not an error.
 */
export function readFailureLines(output: string): string[] {
  const lines = readPlainLines(output);
  const start = lines.findIndex((line) => FAILURE_SECTION.test(line));
  return dropConsoleBlocks(start > 0 ? lines.slice(start) : lines);
}

/** Jest gathers what the tests logged under `● Console`, up to the next heading. */
function dropConsoleBlocks(lines: string[]): string[] {
  if (!lines.some(isConsoleHeading)) return lines;
  let logged = false;
  return lines.filter((line) => {
    if (/^ {2}● |^(?:PASS|FAIL) |^Test Suites: /.test(line)) logged = isConsoleHeading(line);
    return !logged;
  });
}

function isConsoleHeading(line: string): boolean {
  return line.trimEnd() === '  ● Console';
}
