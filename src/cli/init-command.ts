import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { detectChecks } from '../runner/detect-checks.ts';
import { readInside } from '../runner/read-inside.ts';
import { writeInside } from '../runner/write-inside.ts';
import { realDirectory } from './home.ts';
import { usage } from './options.ts';
import { packageVersion } from './package-version.ts';
import { repositoryFiles } from './repository-files.ts';

const TEMPLATES = [
  { template: 'workflow.yml', path: '.github/workflows/autobuild.yml' },
  { template: 'autobuild.yml', path: '.github/autobuild.yml' },
];
const MAX_BYTES = 1024 * 1024;
const ACTION = /^[A-Za-z0-9][\w-]*\/[\w.-]+@[\w][\w./-]*$/;

/** `autobuild init`: the two files a repository needs. Says what it did, what it left alone, and what comes next. */
export async function initCommand(options: {
  directory: string;
  force: boolean;
  /** `OWNER/REPO@REF`, for those who run the action from a copy of their own. */
  action?: string;
}): Promise<{ lines: string[]; ok: boolean }> {
  const action = options.action ?? `autobuild/autobuild@v${packageVersion()}`;
  if (!ACTION.test(action))
    throw usage('--action takes OWNER/REPO@REF, such as autobuild/autobuild@v1.2.3 or a commit.');
  const directory = realDirectory(options.directory);
  const found = detectChecks(repositoryFiles(directory));
  const lines: string[] = [];
  let ok = true;
  for (const { template, path } of TEMPLATES) {
    const text = readFileSync(new URL(`../../templates/${template}`, import.meta.url), 'utf8');
    const bytes = Buffer.from(
      text
        .replaceAll(/uses: autobuild\/autobuild@\S+/g, `uses: ${action}`)
        .replace(/^verify:\n {2}- npm test\n/m, (none) => (found.length > 0 ? renderChecks(found) : none)),
    );
    const present = await readInside(directory, path, MAX_BYTES);
    const isThere = present.ok || existsSync(join(directory, path));
    if (present.ok && present.bytes.equals(bytes)) lines.push(`✓ ${path} is there already.`);
    else if (isThere && !options.force) {
      ok = false;
      lines.push(
        `✗ ${path} is there and differs; it was left as it is. Replace it with: autobuild init --force`,
      );
    } else {
      await writeInside(directory, path, { bytes, mode: 0o644 });
      lines.push(`✓ ${path} ${isThere ? 'replaced' : 'written'}.`);
    }
  }
  if (!existsSync(join(directory, '.git')))
    lines.push(`  ${directory} is not the top of a repository: move the files there.`);
  const checks = found.length > 0 ? found.join(', ') : '`npm test`, because none was found';
  lines.push(
    `The checks are ${checks}; the action is ${action}, which gets your secrets: use one you trust (--action).`,
    'Next: choose agent and checks in .github/autobuild.yml, add its set-up and key to .github/workflows/autobuild.yml,',
    'commit both to the default branch, install the App, and label an issue `autobuild`.',
  );
  return { lines, ok };
}

/** A JSON text is a YAML text, whatever characters a command has. */
function renderChecks(checks: string[]): string {
  return `verify:\n${checks.map((check) => `  - ${/^[\w ./-]+$/.test(check) ? check : JSON.stringify(check)}\n`).join('')}`;
}
