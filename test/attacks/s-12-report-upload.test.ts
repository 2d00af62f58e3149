import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { placeReport } from '../../src/action/place-report.ts';
import { DESKS, openScene } from '../e2e-github/scene.ts';

vi.setConfig({ testTimeout: 120_000 });

let temporary: string;
beforeEach(() => {
  temporary = mkdtempSync(join(tmpdir(), 'autobuild-report-'));
});
afterEach(() => rmSync(temporary, { recursive: true, force: true }));

const PLANTED: Readonly<Record<string, (place: string) => void>> = {
  nothing: () => undefined,
  'a link to another directory': (place) => symlinkSync(tmpdir(), place),
  'a link in the directory': (place) => {
    mkdirSync(place);
    symlinkSync('/etc/passwd', join(place, 'blocked_report.json'));
  },
  'a pipe': (place) => {
    mkdirSync(place);
    execFileSync('mkfifo', [join(place, 'blocked_report.json')]);
  },
  'a directory as the report': (place) => mkdirSync(join(place, 'blocked_report.json'), { recursive: true }),
};

test.each(Object.entries(PLANTED))(
  'S-12: the uploaded report is a plain file, whatever stood there: %s',
  async (_, plant) => {
    const place = join(temporary, 'autobuild-report');
    plant(place);
    await placeReport(temporary, 'ours');
    expect(lstatSync(place).isDirectory()).toBe(true);
    expect(lstatSync(join(place, 'blocked_report.json')).isFile()).toBe(true);
    expect(readFileSync(join(place, 'blocked_report.json'), 'utf8')).toBe('ours');
    // A job without a report uploads none.
    await placeReport(temporary, undefined);
    expect(existsSync(place)).toBe(false);
  },
);

test.each(['.github/workflows/run.yml', 'templates/workflow.yml'])(
  'S-12: %s uploads nothing that is in the checkout',
  (file) => {
    const { jobs } = parse(readFileSync(join(import.meta.dirname, '../..', file), 'utf8')) as {
      jobs: Record<string, { steps?: { uses?: string; with?: Record<string, unknown> }[] }>;
    };
    const uploads = Object.values(jobs)
      .flatMap(({ steps = [] }) => steps)
      .filter(({ uses }) => uses?.startsWith('actions/upload-artifact@'));
    expect(uploads.length).toBeGreaterThan(0);
    for (const { with: given } of uploads)
      for (const path of String(given?.path).split('\n'))
        expect(path).toMatch(/^\$\{\{ runner\.temp \}\}\/autobuild-/);
  },
);

test.each(DESKS)(
  'S-12: a link that the agent names like a report leads no upload out of the checkout (%s)',
  async (desk) => {
    const scene = await openScene({ desk });
    try {
      const story = await scene.begin('plants');
      await story.question();
      await story.parked();
      const uploaded = story
        .jobs()
        .flatMap(({ artifacts, directory }) =>
          artifacts.map((name) => readFileSync(join(directory, 'artifacts', name), 'utf8')),
        );
      expect(uploaded.join('\n')).not.toMatch(/^root:/m);
      expect(uploaded.filter((text) => text.includes('Find one'))).toHaveLength(1);
    } finally {
      await scene.close();
    }
  },
);
