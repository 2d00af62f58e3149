import type { RepositoryFiles } from '../../../runner/checks/repository-files.ts';
import type { DetectedLanguage } from '../set-up.ts';
import { detectDotnet } from './dotnet.ts';
import { detectGo } from './go.ts';
import { detectJava } from './java.ts';
import { detectNode } from './node.ts';
import { detectPhp } from './php.ts';
import { detectPython } from './python.ts';
import { detectRuby } from './ruby.ts';
import { detectRust } from './rust.ts';

/** One line per language. */
export const LANGUAGES: readonly ((files: RepositoryFiles) => DetectedLanguage | undefined)[] = [
  detectNode,
  detectPython,
  detectGo,
  detectRust,
  detectJava,
  detectRuby,
  detectPhp,
  detectDotnet,
];
