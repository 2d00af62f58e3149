import { packageFile } from './package/package-file.ts';

/** Autobuild's version, from its package.json. */
export function packageVersion(): string {
  return (JSON.parse(packageFile('package.json')) as { version: string }).version;
}
