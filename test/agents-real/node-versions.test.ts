import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { AGENTS } from '../../src/agents/registry.ts';
import { cache } from './installed-cli.ts';

test.each(Object.values(AGENTS))('N-1: $name asks for the Node.js that its package names', (agent) => {
  const { name, npmPackage = '', node } = agent;
  const manifest = join(cache, name, 'node_modules', npmPackage, 'package.json');
  const { engines } = JSON.parse(readFileSync(manifest, 'utf8')) as { engines?: { node?: string } };
  // Packages that name none are started on older ones by hand.
  if (engines?.node !== undefined) expect(engines.node).toMatch(new RegExp(`^>=${node}(?:\\.0)*$`));
});
