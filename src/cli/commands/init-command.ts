import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '../../config/read-config.ts';
import { CONFIG_PATH, WORKFLOW_PATH } from '../../core/config-path.ts';
import { detectChecks } from '../../runner/checks/detect-checks.ts';
import { readInside } from '../../runner/disk/read-inside.ts';
import { writeInside } from '../../runner/disk/write-inside.ts';
import { findActionReferences } from '../doctor/doctor-workflow.ts';
import { realDirectory } from '../home.ts';
import { usage } from '../options.ts';
import { packageVersion } from '../package-version.ts';
import { repositoryFiles } from '../repository-files.ts';
import { readWorkflowFile } from '../workflow-file.ts';

const TEMPLATES = [
  { template: 'workflow.yml', path: WORKFLOW_PATH },
  { template: 'autobuild.yml', path: CONFIG_PATH },
  // The first line of the settings file names the schema, for editors.
  { template: 'autobuild.schema.json', path: '.github/autobuild.schema.json' },
];
const MAX_BYTES = 1024 * 1024;
const ACTION = /^[A-Za-z0-9][\w-]*\/[\w.-]+@[\w][\w./-]*$/;

/** `autobuild init` writes the files a repository needs. It reports which ones it wrote, which ones it kept, and the next steps. */
export async function initCommand(options: {
  directory: string;
  force: boolean;
  /** `OWNER/REPO@REF` of a copy of the action. */
  action?: string;
}): Promise<{ lines: string[]; ok: boolean }> {
  const action = options.action ?? `autobuild/autobuild@v${packageVersion()}`;
  if (!ACTION.test(action))
    throw usage('--action takes OWNER/REPO@REF, such as autobuild/autobuild@v1.2.3 or a commit.');
  const directory = realDirectory(options.directory);
  const found = detectChecks(repositoryFiles(directory));
  const lines: string[] = [];
  /** Contents of the files that differ and were kept, by path. */
  const kept = new Map<string, string>();
  for (const { template, path } of TEMPLATES) {
    const text = readFileSync(new URL(`../../../templates/${template}`, import.meta.url), 'utf8');
    const bytes = Buffer.from(
      text
        .replaceAll(/uses: autobuild\/autobuild@\S+/g, `uses: ${action}`)
        .replace(/^verify:\n {2}- npm test\n/m, (none) => (found.length > 0 ? renderChecks(found) : none)),
    );
    const present = await readInside(directory, path, MAX_BYTES);
    const isThere = present.ok || existsSync(join(directory, path));
    if (present.ok && present.bytes.equals(bytes)) lines.push(`✓ ${path} is there already.`);
    else if (isThere && !options.force) {
      kept.set(path, present.ok ? present.bytes.toString('utf8') : '');
      const again = `autobuild init --force${options.action ? ` --action ${action}` : ''}`;
      lines.push(`✗ ${path} is there and differs; it was left as it is. Replace it with: ${again}`);
    } else {
      await writeInside(directory, path, { bytes, mode: 0o644 });
      lines.push(`✓ ${path} ${isThere ? 'replaced' : 'written'}.`);
    }
  }
  if (!existsSync(join(directory, '.git')))
    lines.push(`  ${directory} is not the top of a repository: move the files there.`);
  const written = found.length > 0 ? found.join(', ') : '`npm test`, because none was found';
  const config = kept.get(CONFIG_PATH);
  const workflow = kept.get(WORKFLOW_PATH);
  const checks = config === undefined ? written : checksIn(config);
  const used = workflow === undefined ? action : actionIn(workflow);
  lines.push(
    `The checks are ${checks}; the action is ${used}, which gets your secrets: use one you trust (--action).`,
    `Next: choose agent and checks in ${CONFIG_PATH}, add its set-up and key to ${WORKFLOW_PATH},`,
    'commit all three to the default branch, install the App, and label an issue `autobuild`.',
  );
  return { lines, ok: kept.size === 0 };
}

function checksIn(config: string): string {
  const read = readConfig(config);
  return (read.ok && read.config.verify?.join(', ')) || `what ${CONFIG_PATH} says`;
}

function actionIn(workflow: string): string {
  const read = readWorkflowFile(workflow);
  const names = read.ok
    ? findActionReferences(read.workflow).map((found) => `${found.action}@${found.ref}`)
    : [];
  return [...new Set(names)].join(' and ') || `what ${WORKFLOW_PATH} says`;
}

/** JSON is YAML, so a command with special characters is quoted as JSON. */
function renderChecks(checks: string[]): string {
  return `verify:\n${checks.map((check) => `  - ${/^[\w ./-]+$/.test(check) ? check : JSON.stringify(check)}\n`).join('')}`;
}
