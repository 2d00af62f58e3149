import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openPlayground } from '../../src/sandbox/playground.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'autobuild-playground-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const open = (agent?: string) =>
  openPlayground({ directory, agent, port: 0, env: {}, print: () => undefined });

test('C-1: an agent that does not exist is named, with the one that was probably meant, and nothing is written', async () => {
  await expect(open('cluade')).rejects.toThrow('There is no agent cluade; did you mean claude?');
  await expect(open('robot')).rejects.toThrow('There is no agent robot. Known: claude, ');
  expect(readdirSync(directory)).toEqual([]);
});

test('C-1: a second sandbox in the same folder says where the first one is', async () => {
  mkdirSync(directory, { recursive: true });
  writeFileSync(
    join(directory, 'running.json'),
    JSON.stringify({ pid: process.pid, url: 'http://127.0.0.1:4711/' }),
  );
  await expect(open()).rejects.toThrow(
    `A sandbox is running already at http://127.0.0.1:4711/ (process ${process.pid}).`,
  );
});
