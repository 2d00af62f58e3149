import type { ExternalBlocker } from '../../contracts/verification.ts';

type Missing = Extract<ExternalBlocker, { kind: 'missing_dependency' }>;

const HINT =
  /cannot find|can't resolve|could not|couldn't|failed to|no module|no matching|no required|no version|not found|no such file|is not in|missing dep|cannot load|enoent|not recognized|cannot find -l/i;

/** Top-level directories of a repository's own code. A failing import of `src/auth` is the agent's to fix. */
const OWN_FIRST_SEGMENTS = new Set(['src', 'app', 'lib', 'test', 'tests', 'dist', 'build', 'spec']);

/** Namespaces that several distributions share, so that a dotted name can still be a distribution that is not installed. */
const SHARED_PYTHON_NAMESPACES = /^(?:google|azure|zope)\./;

/** A package, header, gem, artifact or program that is missing and that no edit of the repository can provide (E-7). */
export function findMissingDependency(lines: readonly string[], at: number): Missing | undefined {
  const line = lines[at] ?? '';
  if (!HINT.test(line)) return undefined;
  return (
    readExplicit(line) ??
    readNode(lines, at) ??
    readRegistry(line) ??
    readPython(lines, at) ??
    readCompiled(lines, at) ??
    readProgram(line)
  );
}

function readExplicit(line: string): Missing | undefined {
  const match =
    /\bmissing dependency:? ["'`]?([@\w./-]{1,200}?)(?:@([\w.^~*-]{1,60}))?["'`]?(?:$|[\s,.;:)])/i.exec(line);
  if (!match) return undefined;
  const by = /\b(?:required|needed|imported) (?:by|in|from) ["'`]?([\w@./\\-]{1,300})/i.exec(line);
  return missing(match[1], match[2], by?.[1]);
}

function readNode(lines: readonly string[], at: number): Missing | undefined {
  const line = lines[at] ?? '';
  const match =
    /\bCannot find (?:module|package) ['"]([^'"]{1,200})['"](?: imported from ['"]?([^\s'"]{1,400}))?/.exec(
      line,
    ) ??
    /\bFailed to resolve import ["']([^'"]{1,200})["'] from ["']([^'"]{1,400})["']/.exec(line) ??
    /\bCan't resolve ['"]([^'"]{1,200})['"]/.exec(line) ??
    /\bCould not resolve ["']([^'"]{1,200})["']/.exec(line);
  const name = match && packageOf(match[1] ?? '');
  if (!match || !name) return undefined;
  const tsc = /^([^\s(:]{1,400})[(:]\d+/.exec(line)?.[1];
  return missing(name, undefined, match[2] ?? tsc ?? requirerBelow(lines, at));
}

/** Node prints `Require stack:` and then `- /path/a.js`. Bundlers print the importing file in one of the next lines. */
function requirerBelow(lines: readonly string[], at: number): string | undefined {
  for (const line of lines.slice(at + 1, at + 8)) {
    const found =
      /^- (\/\S{1,400})$/.exec(line) ?? /^\s*(?:❯ |at )?([\w@./-]{1,400}\.\w{1,4}):\d+:\d+:?$/.exec(line);
    if (found && !/node_modules/.test(found[1] ?? '')) return found[1];
  }
  return undefined;
}

/** The package that an import names. Undefined if the import names the repository's own code. */
function packageOf(specifier: string): string | undefined {
  const match = /^(@[a-z0-9~-][\w.~-]*\/[a-z0-9~-][\w.~-]*|[a-z0-9~-][\w.~-]*)(?:\/.*)?$/i.exec(specifier);
  const name = match?.[1];
  if (!name || name.startsWith('~') || OWN_FIRST_SEGMENTS.has(name)) return undefined;
  return name;
}

/** A package or version that is not in the registry, as reported by npm, pnpm, yarn, bun, pip, gem, Maven and Gradle. */
function readRegistry(line: string): Missing | undefined {
  const npm =
    /\bNo matching version found for ["'`]?((?:@[\w.-]+\/)?[\w.-]{1,200})@([^\s"'`]{1,60}?)\.?["'`]?(?:$|\s)/.exec(
      line,
    ) ??
    /\b404\b[^'"]{0,40}['"]((?:@[\w.-]+\/)?[\w.-]{1,200})@([^'"\s]{1,60})['"] is not in th(?:is|e npm) registry/.exec(
      line,
    ) ??
    /\bCouldn't find any versions for "([^"]{1,200})" that matches "([^"]{1,60})"/.exec(line);
  if (npm) return missing(npm[1], npm[2]);
  const unknown =
    /\bCouldn't find package "([^"]{1,200})" (?:required by|on the)/.exec(line) ??
    /\b(?:npm (?:error|ERR!) 404|ERR_PNPM_FETCH_404)\b.{0,60}?GET https?:\/\/[^\s/]{1,253}\/((?:@|%40)?[\w.%@-]{1,200}(?:\/[\w.-]{1,200})?)(?=:? )/.exec(
      line,
    );
  if (unknown) return missing(decodeScope(unknown[1] ?? ''));
  const bun = /\bNo version matching "([^"]{1,60})" found for specifier "([^"]{1,200})"/.exec(line);
  if (bun) return missing(bun[2], bun[1]);
  const pip =
    /\bNo matching distribution found for ([\w.[\]-]{1,200})(?:[=~<>!]=?=? ?([\w.*,<>=!~ ]{1,60}))?/.exec(
      line,
    );
  if (pip) return missing(pip[1], pip[2]?.trim());
  const gem =
    /\bCould not find (?:gem )?['"]?([\w-]{1,100}?)(?:-(\d[\w.]{0,40}))?['"]? (?:\([^)]{0,80}\) )?in (?:any of the sources|locally installed gems|rubygems)/.exec(
      line,
    );
  if (gem) return missing(gem[1], gem[2]);
  const java =
    /\bCould not (?:find|resolve)(?: artifact)? ([\w.-]{1,150}:[\w.-]{1,150})(?::(?:jar|pom|aar))?:([\w.-]{1,60}?)\.?(?=$|[\s)])/.exec(
      line,
    );
  return java ? missing(java[1], java[2]) : undefined;
}

function decodeScope(name: string): string {
  return name.replace(/^%40/, '@').replace(/%2f/i, '/');
}

function readPython(lines: readonly string[], at: number): Missing | undefined {
  const match = /\bModuleNotFoundError: No module named ['"]([\w.]{1,200})['"](.*)$/.exec(lines[at] ?? '');
  const name = match?.[1];
  if (!name || match?.[2]?.includes('is not a package')) return undefined;
  // A dotted name means that the parent package was found, so the module is the repository's own or misspelled.
  if (name.includes('.') && !SHARED_PYTHON_NAMESPACES.test(name)) return undefined;
  if (OWN_FIRST_SEGMENTS.has(name)) return undefined;
  const by = importerAbove(lines, at);
  // If tests/test_auth.py imports `auth`, that is the module under test, which the agent still has to write.
  if (by && moduleUnderTest(by) === name) return undefined;
  return missing(name, undefined, by);
}

function importerAbove(lines: readonly string[], at: number): string | undefined {
  for (let above = at - 1; above >= Math.max(0, at - 8); above -= 1) {
    const line = lines[above] ?? '';
    const frame = /^\s*File "([^"]{1,400})", line \d+/.exec(line) ?? /^(\S{1,400}\.py):\d+: in /.exec(line);
    if (frame) return frame[1];
  }
  return undefined;
}

function moduleUnderTest(path: string): string {
  return (path.split('/').at(-1) ?? '').replace(/^test_|(?:_test)?\.py$/g, '');
}

function readCompiled(lines: readonly string[], at: number): Missing | undefined {
  const line = lines[at] ?? '';
  const go = /^(?:(\S{1,400}\.go):\d+:\d+: )?no required module provides package ([\w./~-]{1,300})/.exec(
    line.trim(),
  );
  if (go) return missing(go[2], undefined, go[1]);
  const crate = /\bno matching package named `([\w-]{1,100})` found/.exec(line);
  if (crate) {
    const below = lines.slice(at + 1, at + 5).join('\n');
    return missing(crate[1], undefined, /required by package `([\w-]{1,100})/.exec(below)?.[1]);
  }
  const gem = /\bcannot load such file -- ([\w/-]{1,200})(?: |$)/.exec(line);
  if (gem && !gem[1]?.startsWith('/'))
    return missing(gem[1], undefined, /^(\S{1,400}\.rb):\d+/.exec(line)?.[1]);
  const header =
    /^([^\s:]{1,400}):\d+(?::\d+)?: fatal error: '?([\w./+-]{1,200}\.h(?:pp|xx)?)'?(?:: No such file or directory| file not found)/.exec(
      line,
    );
  // An include in quotes (#include "own.h") is the repository's own header.
  if (header && !lines.slice(at + 1, at + 3).some((next) => next.includes('#include "')))
    return missing(header[2], undefined, header[1]);
  const library = /\bcannot find -l([\w.+-]{1,100})/.exec(line);
  return library ? missing(`lib${library[1]}`) : undefined;
}

/** A program that the shell does not find. Names with a slash are left out, because they are mostly the repository's own scripts. */
function readProgram(line: string): Missing | undefined {
  const text = line.trim();
  const match =
    /^(?:[\w./-]{0,80}(?:sh|env): )(?:line )?(?:\d+: )?([\w.+@-]{1,100}): (?:command )?not found$/.exec(
      text,
    ) ??
    /^([\w.+@-]{1,100}): command not found$/.exec(text) ??
    /^zsh: command not found: ([\w.+@-]{1,100})$/.exec(text) ??
    /^(?:\/usr\/bin\/)?env: ['‘]?([\w.+@-]{1,100})['’]?: No such file or directory$/.exec(text) ??
    /^g?make(?:\[\d+\])?: ([\w.+@-]{1,100}): No such file or directory$/.exec(text) ??
    /\bspawn ([\w.+@-]{1,100}) ENOENT\b/.exec(text) ??
    /^'([\w.+@-]{1,100})' is not recognized as an internal or external command/.exec(text);
  return match ? missing(match[1]) : undefined;
}

function missing(name: string | undefined, version?: string, requiredBy?: string): Missing | undefined {
  if (!name) return undefined;
  return {
    kind: 'missing_dependency',
    name,
    ...(version ? { version } : {}),
    ...(requiredBy ? { required_by: requiredBy.replace(/^file:\/\//, '') } : {}),
  };
}
