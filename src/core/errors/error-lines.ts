/** Where an error was raised or reported. */
type Place = { file: string; line?: number };
type FoundError = { message: string; place?: Place };

/** A place printed before its message (a Python frame, a linter's heading) belongs to a message at most this many lines below. */
const PENDING_LINES = 12;
/** A stack frame belongs to a message at most this many lines above. */
const FRAME_LINES = 60;
const MESSAGE_CHARS = 600;

type Cursor = {
  lines: readonly string[];
  at: number;
  /** A place whose message has not been read yet. */
  pendingPlace?: { place: Place; at: number };
  /** The error that following stack frames belong to. */
  lastError?: { error: FoundError; at: number };
};

/** A rule's result for a line: an error, `done` if no other rule should read the line, or undefined if the rule does not apply. */
type Verdict = FoundError | 'done' | undefined;
type Rule = (line: string, cursor: Cursor) => Verdict;

/** Each rule reads the output of one family of tools. The first rule that recognises a line wins. */
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

/** Closing remarks ("could not compile", "exit status 1") name no cause, so they count only if no other error is found. */
const REMARK =
  /^(?:(?:error|npm error|npm ERR!)[: ]*)?(?:could not compile|test failed, to rerun|aborting due to|\d+ targets? failed|process didn't exit|'?\d+ subtests? failed|Test failed\. +See above|Lifecycle script|Command failed with exit code|exit(?:ed with| status)|Recipe |Failed to run)/i;

/** The errors in the order they are printed, at most `limit`. */
export function findErrors(lines: readonly string[], limit: number): FoundError[] {
  const cursor: Cursor = { lines, at: 0 };
  const causes: FoundError[] = [];
  const remarks: FoundError[] = [];
  for (; cursor.at < lines.length && causes.length < limit; cursor.at += 1) {
    const line = lines[cursor.at] ?? '';
    if (line.trim() === '') continue;
    const verdict = applyRules(line, cursor);
    if (verdict === undefined || verdict === 'done') continue;
    const error = { ...verdict, message: verdict.message.trim().slice(0, MESSAGE_CHARS) };
    if (REMARK.test(error.message)) {
      if (remarks.length < limit) remarks.push(error);
      continue;
    }
    causes.push(error);
    cursor.lastError = { error, at: cursor.at };
  }
  return causes.length > 0 ? causes : remarks;
}

function applyRules(line: string, cursor: Cursor): Verdict {
  for (const rule of RULES) {
    const verdict = rule(line, cursor);
    if (verdict !== undefined) return verdict;
  }
  return undefined;
}

/** Skips quoted source such as `  12 | const a = …` or `> 2 │ …`, because words like "error" in it report nothing. */
function skipCodeFrame(line: string): Verdict {
  return /^\s{0,40}>?\s{0,8}\d{0,7}\s{0,8}[|│]/.test(line) || /^>\s{2,}\S/.test(line) ? 'done' : undefined;
}

/** Jest prints `● suite › test`, an empty line, and then the message in any format. */
function readJest(line: string, cursor: Cursor): Verdict {
  if (!/^ {2}● \S/.test(line)) return undefined;
  const next = cursor.lines.slice(cursor.at + 1, cursor.at + 4).findIndex((below) => below.trim() !== '');
  if (next < 0) return 'done';
  cursor.at += next + 1;
  return { message: (cursor.lines[cursor.at] ?? '').trim() + readDetails(cursor.lines, cursor.at + 1) };
}

/** Place and message in one line, as tsc, gcc, clang, esbuild and go vet print them. */
function readDiagnostic(line: string): Verdict {
  const tsc = /^([^\s(][^(]{0,400})\((\d+),\d+\): (?:fatal )?error (.+)$/.exec(line);
  if (tsc) return { message: tsc[3] ?? '', place: placeOf(tsc[1], tsc[2]) };
  const other = /^\s{0,4}([^\s:][^:]{0,400}):(\d+)(?::\d+)?:? (?:- )?(?:fatal )?error:? (.+)$/.exec(line);
  if (other) return { message: other[3] ?? '', place: placeOf(other[1], other[2]) };
  return undefined;
}

/** ESLint prints the file, then `3:5  error  message  rule`; Biome prints `file:3:5 lint/rule ━━━`, then `× message`. */
function readLinterBlock(line: string, cursor: Cursor): Verdict {
  const heading = /^(\S{1,400}\.[a-z]\w{0,4})(?::(\d+):\d+)?(?: [\w/]{4,80}\s.*━{3,})?$/.exec(line);
  if (heading) return rememberPlace(cursor, placeOf(heading[1], heading[2]));
  const eslint = /^\s+(\d+):\d+\s+error\s+(\S.*)$/.exec(line);
  if (eslint) {
    const file = cursor.pendingPlace?.place.file;
    if (file) rememberPlace(cursor, { file });
    return {
      message: (eslint[2] ?? '').replace(/\s{2,}/g, ' '),
      place: file ? placeOf(file, eslint[1]) : undefined,
    };
  }
  const biome = /^\s{2}× (\S.*)$/.exec(line);
  const place = biome && usePendingPlace(cursor);
  return biome && place ? { message: biome[1] ?? '', place } : undefined;
}

function readPythonFrame(line: string, cursor: Cursor): Verdict {
  const frame = /^\s*File "([^"]{1,400})", line (\d+)/.exec(line) ?? /^(\S{1,400}\.py):(\d+): in /.exec(line);
  return frame ? rememberPlace(cursor, placeOf(frame[1], frame[2])) : undefined;
}

/** pytest prints a block of lines that start with `E`, whose first is the message, and then `test_a.py:4: TypeError`. */
function readPytest(line: string, cursor: Cursor): Verdict {
  const place = /^(\S{1,400}\.py):(\d+): ?(\w*)$/.exec(line);
  const { lastError } = cursor;
  if (place) {
    if (lastError && cursor.at - lastError.at <= FRAME_LINES && place[3] !== '') {
      lastError.error.place = placeOf(place[1], place[2]) ?? lastError.error.place;
      if (lastError.error.message.startsWith('assert '))
        lastError.error.message = `${place[3]}: ${lastError.error.message}`;
      cursor.lastError = undefined;
    }
    return 'done';
  }
  const text = /^E {2,}(\S.*)$/.exec(line)?.[1];
  if (text === undefined) return undefined;
  if (/^E( |$)/.test(cursor.lines[cursor.at - 1] ?? '')) return 'done';
  return { message: text, place: usePendingPlace(cursor) };
}

/** `error[E0308]: …` followed by `--> src/x.rs:3:5`, or `thread 'x' panicked at src/x.rs:6:33:` with the message in the next line. */
function readRust(line: string, cursor: Cursor): Verdict {
  const arrow = /^\s*--> (\S{1,400}):(\d+):\d+$/.exec(line);
  if (arrow) return attachPlace(cursor, placeOf(arrow[1], arrow[2]));
  const panic = /^thread '.{0,300}' (?:\(\d+\) )?panicked at (\S{1,400}):(\d+):\d+:$/.exec(line);
  if (panic) {
    const message = cursor.lines[cursor.at + 1] ?? '';
    const details = readDetails(cursor.lines, cursor.at + 2);
    cursor.at += 1;
    return { message: `panicked: ${message}${details}`, place: placeOf(panic[1], panic[2]) };
  }
  const old = /^thread '.{0,300}' panicked at '(.{0,1000})', (\S{1,400}):(\d+):\d+$/.exec(line);
  if (old) return { message: `panicked: ${old[1]}`, place: placeOf(old[2], old[3]) };
  const error = /^(error\[E\d{4}\]: .+)$/.exec(line);
  return error ? { message: error[1] ?? '' } : undefined;
}

function readGo(line: string, cursor: Cursor): Verdict {
  const panic = /^(panic: .+)$/.exec(line);
  if (panic) return { message: panic[1] ?? '' };
  const frame = /^\t(\S{1,400}\.go):(\d+)(?: \+0x[0-9a-f]+)?$/.exec(line);
  if (frame) return attachPlace(cursor, placeOf(frame[1], frame[2]));
  const report = /^(?:vet: )?\s*(\S{1,400}\.go):(\d+)(?::\d+)?: ?(.*)$/.exec(line);
  if (!report) return undefined;
  const place = placeOf(report[1], report[2]);
  // testify prints the place on its own line and the message below it.
  return report[3] ? { message: report[3], place } : rememberPlace(cursor, place);
}

/** `a.rb:3:in 'login': undefined method … (NoMethodError)` */
function readRuby(line: string): Verdict {
  const ruby = /^(\S{1,400}\.rb):(\d+):in [^:]{1,200}: (.+)$/.exec(line);
  return ruby ? { message: ruby[3] ?? '', place: placeOf(ruby[1], ruby[2]) } : undefined;
}

/** The YAML below a TAP `not ok`. Node prints `location: 'a.ts:5:3'` before the message, vitest `at: "a.ts:5:3"` after it. */
function readTapBlock(line: string, cursor: Cursor): Verdict {
  const place = /^\s+(location|at): (['"])(.{1,400}):(\d+):\d+\2$/.exec(line);
  if (place) {
    const found = placeOf(place[3], place[4]);
    return place[1] === 'at' ? attachPlace(cursor, found) : rememberPlace(cursor, found);
  }
  const text = /^\s+(?:message|error): (['"])(.+)\1$/.exec(line);
  return text ? { message: text[2] ?? '', place: usePendingPlace(cursor) } : undefined;
}

/** `at f (src/a.ts:41:7)`, `at src/a.ts:41:7`, `❯ login src/a.ts:41:7`, `at com.x.Main.run(Main.java:5)`, and esbuild's `src/a.ts:1:7:`. */
function readStackFrame(line: string, cursor: Cursor): Verdict {
  const text = line.trim();
  const esbuild = /^(\S{1,400}):(\d+):\d+:$/.exec(text);
  if (esbuild) return attachPlace(cursor, placeOf(esbuild[1], esbuild[2]));
  if (!text.startsWith('at ') && !text.startsWith('❯ ')) return undefined;
  const inner = text.endsWith(')')
    ? text.slice(text.lastIndexOf('(') + 1, -1)
    : text.slice(text.lastIndexOf(' ') + 1);
  const place = /^(.{1,400}?):(\d+)(?::\d+)?$/.exec(inner);
  return place ? attachPlace(cursor, placeOf(place[1], place[2])) : 'done';
}

/** `TypeError: …`, `AssertionError [ERR_ASSERTION]: …`, `java.lang.IllegalStateException: …`, or the last line of a Python traceback. */
function readErrorClass(line: string, cursor: Cursor): Verdict {
  const text = line
    .trim()
    .replace(
      /^(?:Uncaught |Unhandled |Caused by: |\[cause\]: |cause: |Exception in thread "[^"]{0,100}" )+/,
      '',
    );
  const named = /^[\w$.:]{0,120}(?:Error|Exception)(?: \[\w{1,80}\])?: \s*\S/.test(text);
  const alone = /^[\w$.:]{0,120}(?:Error|Exception)$/.test(text) && isFrameNext(cursor);
  const python =
    cursor.pendingPlace !== undefined &&
    isPendingPlaceNear(cursor) &&
    /^[A-Za-z_][\w.]{0,120}(?:: .+)?$/.test(line);
  if (named || alone || (python && /^\s/.test(cursor.lines[cursor.at - 1] ?? '')))
    return { message: text + readDetails(cursor.lines, cursor.at + 1), place: usePendingPlace(cursor) };
  return undefined;
}

function isFrameNext(cursor: Cursor): boolean {
  return cursor.pendingPlace !== undefined || /^\s+at /.test(cursor.lines[cursor.at + 1] ?? '');
}

function readNpm(line: string): Verdict {
  const text = /^\s*npm (?:error|ERR!) (.+)$/.exec(line)?.[1];
  if (text === undefined) return undefined;
  const bookkeeping =
    /^(?:code|errno|syscall|path|dest|command|signal|workspace|location|cwd|node|npm|cause|network|A complete log|\s|\d{3}\s*$|\w+\s*$)/;
  if (bookkeeping.test(text)) return 'done';
  return { message: `npm error ${text}` };
}

function readGenericError(line: string, cursor: Cursor): Verdict {
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
  return marked || yarn || shell || pnpm ? { message: text, place: usePendingPlace(cursor) } : undefined;
}

/** The compared values printed below an assertion's message. They tell two failing assertions with the same message apart. */
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

/** A place in the repository's own files. Undefined for files of libraries and runtimes, because the cause is rarely there. */
function placeOf(file: string | undefined, line: string | undefined): Place | undefined {
  const path = (file ?? '').replace(/^file:\/\//, '').replace(/^\.\//, '');
  if (path === '' || LIBRARY.test(path)) return undefined;
  const number = Number(line);
  return Number.isSafeInteger(number) && number > 0 ? { file: path, line: number } : { file: path };
}

function attachPlace(cursor: Cursor, place: Place | undefined): 'done' {
  const { lastError } = cursor;
  if (place && lastError && !lastError.error.place && cursor.at - lastError.at <= FRAME_LINES)
    lastError.error.place = place;
  return 'done';
}

function rememberPlace(cursor: Cursor, place: Place | undefined): 'done' {
  if (place) cursor.pendingPlace = { place, at: cursor.at };
  return 'done';
}

function isPendingPlaceNear(cursor: Cursor): boolean {
  return cursor.pendingPlace !== undefined && cursor.at - cursor.pendingPlace.at <= PENDING_LINES;
}

function usePendingPlace(cursor: Cursor): Place | undefined {
  const place = isPendingPlaceNear(cursor) ? cursor.pendingPlace?.place : undefined;
  cursor.pendingPlace = undefined;
  return place;
}
