import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type BoxPlan, stepsFor } from '../../../src/runner/box/box-plan.ts';

const MOUNTS = ['home', 'hide', 'write', 'read'];

/** The mounts below one new directory, in their order, as `step path`. */
function mountsOf(
  make: (at: (name: string) => string) => { plan: Partial<BoxPlan>; env: Record<string, string> },
) {
  const top = mkdtempSync('/tmp/autobuild-plan-');
  onTestFinished(() => rmSync(top, { recursive: true, force: true }));
  const at = (name: string) => {
    mkdirSync(join(top, name), { recursive: true });
    return join(top, name);
  };
  const { plan, env } = make(at);
  const worktree = at('work');
  const base = { directory: at('box'), worktree, hidden: [], shared: [], readable: [], home: at('home') };
  const steps = stepsFor({ ...base, ...plan }, { cwd: plan.worktree ?? worktree, env });
  return steps.flatMap((name, index) => {
    const path = steps[index + 1] ?? '';
    const isMount = index % 2 === 0 && MOUNTS.includes(name) && path.startsWith(top);
    return isMount ? [`${name} ${path.slice(top.length + 1)}`] : [];
  });
}

test('S-10: what is mounted above another place comes first, because it would cover it', () => {
  const mounts = mountsOf((at) => ({
    plan: {
      worktree: at('checkout/sandbox/work'),
      home: at('checkout/sandbox/home'),
      hidden: [at('checkout/sandbox/runner')],
      shared: [at('checkout/sandbox/runner/shared')],
    },
    env: { PATH: at('checkout') },
  }));
  expect(mounts).toEqual([
    'read checkout',
    'home checkout/sandbox/home',
    'hide checkout/sandbox/runner',
    'write checkout/sandbox/work',
    'write checkout/sandbox/runner/shared',
  ]);
});

test('S-4: what is hidden stays hidden below a place that is shown or written', () => {
  const mounts = mountsOf((at) => ({
    plan: {
      worktree: at('home'),
      home: at('home'),
      hidden: [at('home/.ssh'), at('certificates/private'), at('tools/secret')],
    },
    env: { SSL_CERT_DIR: at('certificates'), PATH: at('tools') },
  }));
  expect(mounts).toEqual([
    'home home',
    'write home',
    'read tools',
    'read certificates',
    'hide home/.ssh',
    'hide certificates/private',
    'hide tools/secret',
  ]);
});

test('S-10: a file of the worktree that a variable names stays as writable as the rest of it', () => {
  const mounts = mountsOf((at) => ({
    plan: { worktree: at('work') },
    env: { SSL_CERT_DIR: at('work/certificates'), PATH: at('work/node_modules') },
  }));
  expect(mounts).toEqual(['home home', 'write work']);
});

test('S-4: a home below a hidden place is not shown', () => {
  const mounts = mountsOf((at) => ({ plan: { hidden: [at('runner')], home: at('runner/home') }, env: {} }));
  expect(mounts).toEqual(['hide runner', 'write work']);
});
