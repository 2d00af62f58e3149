import { readFileSync } from 'node:fs';

/** Autobuild's version, from its package.json. */
export function packageVersion(): string {
  const file = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
