/** Only the beginning and the end of an output are read, because a log can be very long and errors are mostly there. */
const HEAD_CHARS = 64 * 1024;
const TAIL_CHARS = 256 * 1024;
const LINE_CHARS = 2_000;

// CSI and OSC sequences, then two-character ones. Each alternative stops at the next ESC, so that matching is linear.
const ANSI = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\^_])/g;

export function stripAnsi(text: string): string {
  return text.includes('\x1b') ? text.replace(ANSI, '') : text;
}

/** The lines of an output without escape sequences. Bounded in total size and in the length of each line. */
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
 * The failure section of a test runner's output, or all lines if it has none. The lines before the section are left out, because
 * passing tests may print "Error: …" there.
 */
export function readFailureLines(output: string): string[] {
  const lines = readPlainLines(output);
  const start = lines.findIndex((line) => FAILURE_SECTION.test(line));
  return dropConsoleBlocks(start > 0 ? lines.slice(start) : lines);
}

/** Drops the text that tests logged, which Jest prints under `● Console` up to the next heading. */
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
