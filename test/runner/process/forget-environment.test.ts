import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const SOURCE = join(import.meta.dirname, '../../../src/runner/process/forget-environment.ts');

test.runIf(process.platform === 'linux')(
  'S-4: what the runner has read is neither in its environment nor in what others see of it',
  () => {
    const script = `
      import { execFileSync } from 'node:child_process';
      import { forgetEnvironment } from ${JSON.stringify(SOURCE)};
      const before = execFileSync('cat', [\`/proc/\${process.pid}/environ\`], { encoding: 'utf8' });
      const forgotten = forgetEnvironment(process.env, (name) => name === 'PATH' || name === 'KEPT');
      const seen = execFileSync('cat', [\`/proc/\${process.pid}/environ\`], { encoding: 'utf8' });
      const child = execFileSync('env', { encoding: 'utf8' });
      console.log(JSON.stringify({ forgotten, before, seen, child, kept: process.env.KEPT }));`;
    const said = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
      env: { PATH: process.env.PATH, FIRST_KEY: 'canary-1', KEPT: 'kept', LAST_KEY: 'canary-2' },
      encoding: 'utf8',
    });
    const { before, seen, ...rest } = JSON.parse(said) as Record<string, string>;
    expect(before).toContain('FIRST_KEY=canary-1');
    expect(seen).not.toMatch(/canary|_KEY/);
    expect(seen).toContain('KEPT=kept');
    expect(rest).toMatchObject({ forgotten: true, kept: 'kept' });
    expect(rest.child).not.toContain('canary');
    expect(rest.child).toContain('KEPT=kept');
  },
);
