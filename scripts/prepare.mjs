// npm runs this after an install in a clone, which needs no bundle, and when it packs a clone for somebody who installs from a git
// address. Only then does it name the directory that is packed. `npm pack` in a clone has made the bundle by `prepack`.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const { npm_package_resolved: packed, npm_config_global: global, _PACOTE_NO_PREPARE_: address } = process.env;
const bundle = fileURLToPath(new URL('../build/cli.js', import.meta.url));

if (global === 'true' && address !== undefined) {
  // npm 11 installs the tools of a git address globally, too, and leaves a link to a directory that it removes.
  const file = `"$(npm pack --silent ${address.split('\n').at(-1)})"`;
  process.stderr.write(
    `npm cannot install from a git address globally. Do it in two steps: npm install --global ${file}\n`,
  );
  process.exitCode = 1;
} else if (packed !== undefined && !existsSync(bundle)) {
  const { bundlePackage } = await import('./bundle-package.mjs');
  await bundlePackage();
}
