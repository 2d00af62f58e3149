import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, dirname, join } from 'node:path';

interface Package {
  name: string;
  version: string;
  bin: Record<string, string>;
  /** Its directory, or its files by name, which are made in the directory. */
  directory: string;
  files?: Record<string, string>;
}

/** A registry with these packages and no others, for `npm install` without the internet. */
export async function startPackageRegistry(packages: Package[]): Promise<{ url: string; close(): void }> {
  const tarballs = packages.map(makeTarball);
  const server = createServer((request, response) => {
    const asked = decodeURIComponent(request.url ?? '').slice(1);
    const at = packages.findIndex(({ name }) => asked === name || asked === `tarballs/${name}.tgz`);
    const [found, tarball] = [packages[at], tarballs[at]];
    if (!found || !tarball) response.writeHead(404).end('{}');
    else if (asked.startsWith('tarballs/')) response.end(tarball);
    else response.end(JSON.stringify(describe(found, tarball, url)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, close: () => server.close() };
}

function describe({ name, version, bin }: Package, tarball: Buffer, url: string) {
  const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
  const dist = { tarball: `${url}/tarballs/${name}.tgz`, integrity };
  return { name, 'dist-tags': { latest: version }, versions: { [version]: { name, version, bin, dist } } };
}

function makeTarball({ name, version, bin, directory, files }: Package): Buffer {
  for (const [file, text] of Object.entries(files ?? {})) {
    mkdirSync(dirname(join(directory, file)), { recursive: true });
    writeFileSync(join(directory, file), text);
    chmodSync(join(directory, file), 0o755);
  }
  if (files) writeFileSync(join(directory, 'package.json'), JSON.stringify({ name, version, bin }));
  const renamed = `s,^${basename(directory)},package,`;
  return execFileSync(
    'tar',
    [
      '--use-compress-program',
      'gzip -1',
      '--transform',
      renamed,
      '-C',
      dirname(directory),
      '-c',
      basename(directory),
    ],
    { maxBuffer: 64 * 1024 * 1024 },
  );
}
