/** Where an error was raised or reported. */
type Place = { file: string; line?: number };
type FoundError = { message: string; place?: Place };

/** A place printed before its message (a Python frame, a linter's heading) belongs to a message this many lines on, at most. */
const AHEAD_LINES = 12;
/** A stack frame belongs to the message at most this many lines before. */
const FRAME_LINES = 60;
const MESSAGE_CHARS = 600;

type Reading = {
  lines: readonly string[];
  at: number;
  ahead?: { place: Place; at: number };
  open?: { error: FoundError; at: number };
};

/** What a rule makes of a line: an error, nothing more to look for in it, or not its business. */
type Verdict = FoundError | 'done' | undefined;
type Rule = (line: string, reading: Reading) => Verdict;

/** Each rule knows one family of tools; the first that recognises a line has it. */
const RULES: readonly Rule[] = [
  skipCodeFrame,
  readJest,
  readDiagnostic,
  readLinterBlock,
  readPythonFrame,
  readPytest,
  readRust,
  readGo,
  readRuby,
  readTapBlock,
  readStackFrame,
  readErrorClass,
  readNpm,
  readGenericError,
];

/** Closing remarks ("could not compile", "exit status 1") name no cause: they count only where nothing else is found. */
const REMARK =
  /^(?:(?:error|npm error|npm ERR!)[: ]*)?(?:could not compile|test failed, to rerun|aborting due to|\d+ targets? failed|process didn't exit|'?\d+ subtests? failed|Test failed\. +See above|Lifecycle script|Command failed with exit code|exit(?:ed with| status)|Recipe |Failed to run)/i;

/** All errors in the order they are printed, at most `limit`. */
export function findErrors(lines: readonly string[], limit: number): FoundError[] {
  const reading: Reading = { lines, at: 0 };
  const causes: FoundError[] = [];
  const remarks: FoundError[] = [];
  for (; reading.at < lines.length && causes.length < limit; reading.at += 1) {
    const line = lines[reading.at] ?? '';
    if (line.trim() === '') continue;
    const verdict = judge(line, reading);
    if (verdict === undefined || verdict === 'done') continue;
    const error = { ...verdict, message: verdict.message.trim().slice(0, MESSAGE_CHARS) };
    if (REMARK.test(error.message)) {
      if (remarks.length < limit) remarks.push(error);
      continue;
    }
    causes.push(error);
    reading.open = { error, at: reading.at };
  }
  return causes.length > 0 ? causes : remarks;
}

function judge(line: string, reading: Reading): Verdict {
  for (const rule of RULES) {
    const verdict = rule(line, reading);
    if (verdict !== undefined) return verdict;
  }
  return undefined;
}

/** `  12 | const a = …`, `> 2 │ …`, `E   - 4`: quoted source, whatever words are in it. */
function skipCodeFrame(line: string): Verdict {
  return /^\s{0,40}>?\s{0,8}\d{0,7}\s{0,8}[|│]/.test(line) || /^>\s{2,}\S/.test(line) ? 'done' : undefined;
}

/** Jest prints `● suite › test`, an empty line, and the message, of whatever shape. */
function readJest(line: string, reading: Reading): Verdict {
  if (!/^ {2}● \S/.test(line)) return undefined;
  const next = reading.lines.slice(reading.at + 1, reading.at + 4).findIndex((below) => below.trim() !== '');
  if (next < 0) return 'done';
  reading.at += next + 1;
  return { message: (reading.lines[reading.at] ?? '').trim() + readDetails(reading.lines, reading.at + 1) };
}

/** tsc, gcc, clang, esbuild, go vet …: place and message in one line. */
function readDiagnostic(line: string): Verdict {
  const tsc = /^([^\s(][^(]{0,400})\((\d+),\d+\): (?:fatal )?error (.+)$/.exec(line);
  if (tsc) return { message: tsc[3] ?? '', place: placeOf(tsc[1], tsc[2]) };
  const other = /^\s{0,4}([^\s:][^:]{0,400}):(\d+)(?::\d+)?:? (?:- )?(?:fatal )?error:? (.+)$/.exec(line);
  if (other) return { message: other[3] ?? '', place: placeOf(other[1], other[2]) };
  return undefined;
}

/** ESLint prints the file, then `3:5  error  message  rule`; Biome prints `file:3:5 lint/rule ━━━`, then `× message`. */
function readLinterBlock(line: string, reading: Reading): Verdict {
  const heading = /^(\S{1,400}\.[a-z]\w{0,4})(?::(\d+):\d+)?(?: [\w/]{4,80}\s.*━{3,})?$/.exec(line);
  if (heading) return expect(reading, placeOf(heading[1], heading[2]));
  const eslint = /^\s+(\d+):\d+\s+error\s+(\S.*)$/.exec(line);
  if (eslint) {
    const file = reading.ahead?.place.file;
    if (file) expect(reading, { file });
    return {
      message: (eslint[2] ?? '').replace(/\s{2,}/g, ' '),
      place: file ? placeOf(file, eslint[1]) : undefined,
    };
  }
  const biome = /^\s{2}× (\S.*)$/.exec(line);
  const place = biome && takeAhead(reading);
  return biome && place ? { message: biome[1] ?? '', place } : undefined;
}

function readPythonFrame(line: string, reading: Reading): Verdict {
  const frame = /^\s*File "([^"]{1,400})", line (\d+)/.exec(line) ?? /^(\S{1,400}\.py):(\d+): in /.exec(line);
  return frame ? expect(reading, placeOf(frame[1], frame[2])) : undefined;
}

/** pytest: `E   TypeError: …` (the first of a block is the message), then `test_a.py:4: TypeError`. */
function readPytest(line: string, reading: Reading): Verdict {
  const place = /^(\S{1,400}\.py):(\d+): ?(\w*)$/.exec(line);
  const { open } = reading;
  if (place) {
    if (open && reading.at - open.at <= FRAME_LINES && place[3] !== '') {
      open.error.place = placeOf(place[1], place[2]) ?? open.error.place;
      if (open.error.message.startsWith('assert ')) open.error.message = `${place[3]}: ${open.error.message}`;
      reading.open = undefined;
    }
    return 'done';
  }
  const text = /^E {2,}(\S.*)$/.exec(line)?.[1];
  if (text === undefined) return undefined;
  if (/^E( |$)/.test(reading.lines[reading.at - 1] ?? '')) return 'done';
  return { message: text, place: takeAhead(reading) };
}

/** `error[E0308]: …` and its `--> src/x.rs:3:5`; `thread 'x' panicked at src/x.rs:6:33:` and the message in the next line. */
function readRust(line: string, reading: Reading): Verdict {
  const arrow = /^\s*--> (\S{1,400}):(\d+):\d+$/.exec(line);
  if (arrow) return give(reading, placeOf(arrow[1], arrow[2]));
  const panic = /^thread '.{0,300}' (?:\(\d+\) )?panicked at (\S{1,400}):(\d+):\d+:$/.exec(line);
  if (panic) {
    const message = reading.lines[reading.at + 1] ?? '';
    const details = readDetails(reading.lines, reading.at + 2);
    reading.at += 1;
    return { message: `panicked: ${message}${details}`, place: placeOf(panic[1], panic[2]) };
  }
  const old = /^thread '.{0,300}' panicked at '(.{0,1000})', (\S{1,400}):(\d+):\d+$/.exec(line);
  if (old) return { message: `panicked: ${old[1]}`, place: placeOf(old[2], old[3]) };
  const error = /^(error\[E\d{4}\]: .+)$/.exec(line);
  return error ? { message: error[1] ?? '' } : undefined;
}

function readGo(line: string, reading: Reading): Verdict {
  const panic = /^(panic: .+)$/.exec(line);
  if (panic) return { message: panic[1] ?? '' };
  const frame = /^\t(\S{1,400}\.go):(\d+)(?: \+0x[0-9a-f]+)?$/.exec(line);
  if (frame) return give(reading, placeOf(frame[1], frame[2]));
  const report = /^(?:vet: )?\s*(\S{1,400}\.go):(\d+)(?::\d+)?: ?(.*)$/.exec(line);
  if (!report) return undefined;
  const place = placeOf(report[1], report[2]);
  // testify prints the place alone and the message below it.
  return report[3] ? { message: report[3], place } : expect(reading, place);
}

/** `a.rb:3:in 'login': undefined method … (NoMethodError)` */
function readRuby(line: string): Verdict {
  const ruby = /^(\S{1,400}\.rb):(\d+):in [^:]{1,200}: (.+)$/.exec(line);
  return ruby ? { message: ruby[3] ?? '', place: placeOf(ruby[1], ruby[2]) } : undefined;
}

/** The YAML below a TAP `not ok`: `location: 'a.ts:5:3'` before the message (node), `at: "a.ts:5:3"` after it (vitest). */
function readTapBlock(line: string, reading: Reading): Verdict {
  const place = /^\s+(location|at): (['"])(.{1,400}):(\d+):\d+\2$/.exec(line);
  if (place) {
    const found = placeOf(place[3], place[4]);
    return place[1] === 'at' ? give(reading, found) : expect(reading, found);
  }
  const text = /^\s+(?:message|error): (['"])(.+)\1$/.exec(line);
  return text ? { message: text[2] ?? '', place: takeAhead(reading) } : undefined;
}

/** `at f (src/a.ts:41:7)`, `at src/a.ts:41:7`, `❯ login src/a.ts:41:7`, `at com.x.Main.run(Main.java:5)`, `src/a.ts:1:7:` of esbuild. */
function readStackFrame(line: string, reading: Reading): Verdict {
  const text = line.trim();
  const esbuild = /^(\S{1,400}):(\d+):\d+:$/.exec(text);
  if (esbuild) return give(reading, placeOf(esbuild[1], esbuild[2]));
  if (!text.startsWith('at ') && !text.startsWith('❯ ')) return undefined;
  const inner = text.endsWith(')')
    ? text.slice(text.lastIndexOf('(') + 1, -1)
    : text.slice(text.lastIndexOf(' ') + 1);
  const place = /^(.{1,400}?):(\d+)(?::\d+)?$/.exec(inner);
  return place ? give(reading, placeOf(place[1], place[2])) : 'done';
}

/** `TypeError: …`, `AssertionError [ERR_ASSERTION]: …`, `java.lang.IllegalStateException: …`, the last line of a Python traceback. */
function readErrorClass(line: string, reading: Reading): Verdict {
  const text = line
    .trim()
    .replace(
      /^(?:Uncaught |Unhandled |Caused by: |\[cause\]: |cause: |Exception in thread "[^"]{0,100}" )+/,
      '',
    );
  const named = /^[\w$.:]{0,120}(?:Error|Exception)(?: \[\w{1,80}\])?: \s*\S/.test(text);
  const alone = /^[\w$.:]{0,120}(?:Error|Exception)$/.test(text) && isFrameNext(reading);
  const python =
    reading.ahead !== undefined && isAheadFresh(reading) && /^[A-Za-z_][\w.]{0,120}(?:: .+)?$/.test(line);
  if (named || alone || (python && /^\s/.test(reading.lines[reading.at - 1] ?? '')))
    return { message: text + readDetails(reading.lines, reading.at + 1), place: takeAhead(reading) };
  return undefined;
}

function isFrameNext(reading: Reading): boolean {
  return reading.ahead !== undefined || /^\s+at /.test(reading.lines[reading.at + 1] ?? '');
}

function readNpm(line: string): Verdict {
  const text = /^\s*npm (?:error|ERR!) (.+)$/.exec(line)?.[1];
  if (text === undefined) return undefined;
  const bookkeeping =
    /^(?:code|errno|syscall|path|dest|command|signal|workspace|location|cwd|node|npm|cause|network|A complete log|\s|\d{3}\s*$|\w+\s*$)/;
  if (bookkeeping.test(text)) return 'done';
  return { message: `npm error ${text}` };
}

function readGenericError(line: string, reading: Reading): Verdict {
  const text = line.trim();
  const marked =
    /^(?:✘ )?(?:\[(?:error|fatal)\] |(?:[\w./-]{1,80}: )?(?:fatal error|fatal|error|ERROR): ?)\s*\S/i.test(
      text,
    );
  const yarn = /^error (?:Command|Couldn't|An unexpected|Found|Your lockfile|\S+@\S)/.test(text);
  const shell = /^(?:[\w./-]{0,80}\/)?(?:ba|da|z|k|a)?sh: (?:line )?(?:\d+: )?\S/.test(text);
  const pnpm = /^\s?(?:ERR_PNPM_\w+|ELIFECYCLE)\s/.test(text);
  const make = /^g?make(?:\[\d+\])?: \*\*\* /.test(text);
  if (make || text.startsWith('ELIFECYCLE')) return { message: `exited with an error: ${text}` };
  return marked || yarn || shell || pnpm ? { message: text, place: takeAhead(reading) } : undefined;
}

/** What an assertion compared, where it is printed below the message: two failing assertions are two errors. */
function readDetails(lines: readonly string[], from: number): string {
  const details: string[] = [];
  for (const line of lines.slice(from, from + 6)) {
    const detail = /^\s*((?:expected|received|actual|left|right)(?: \w+)?) ?: +(\S.*)$/i.exec(line);
    if (detail) details.push(`${detail[1]}: ${(detail[2] ?? '').slice(0, 120)}`);
  }
  return details.length > 0 ? ` (${details.join(', ')})` : '';
}

const LIBRARY =
  /(?:^|[\\/])node_modules[\\/]|^node:|^internal\/|^native$|^<|site-packages|dist-packages|\/lib\/python\d|^\/rustc\/|\/\.cargo\/registry\/|\/go\/src\/(?:runtime|testing|reflect)\/|\/go\/pkg\/mod\//;

/** A place in the repository's own files; frames of libraries and of the runtime say nothing about where to look. */
function placeOf(file: string | undefined, line: string | undefined): Place | undefined {
  const path = (file ?? '').replace(/^file:\/\//, '').replace(/^\.\//, '');
  if (path === '' || LIBRARY.test(path)) return undefined;
  const number = Number(line);
  return Number.isSafeInteger(number) && number > 0 ? { file: path, line: number } : { file: path };
}

function give(reading: Reading, place: Place | undefined): 'done' {
  const { open } = reading;
  if (place && open && !open.error.place && reading.at - open.at <= FRAME_LINES) open.error.place = place;
  return 'done';
}

function expect(reading: Reading, place: Place | undefined): 'done' {
  if (place) reading.ahead = { place, at: reading.at };
  return 'done';
}

function isAheadFresh(reading: Reading): boolean {
  return reading.ahead !== undefined && reading.at - reading.ahead.at <= AHEAD_LINES;
}

function takeAhead(reading: Reading): Place | undefined {
  const place = isAheadFresh(reading) ? reading.ahead?.place : undefined;
  reading.ahead = undefined;
  return place;
}
