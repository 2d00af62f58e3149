import { readFileSync } from 'node:fs';

type PackageFile =
  | 'package.json'
  | 'templates/autobuild.schema.json'
  | 'templates/autobuild.yml'
  | 'templates/no-server.yml'
  | 'templates/reminders.yml'
  | 'templates/workflow.yml';

/** The text of a file that belongs to Autobuild. `scripts/bundle-package.mjs` puts these texts into the bundle. */
export function packageFile(name: PackageFile): string {
  return readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8');
}
