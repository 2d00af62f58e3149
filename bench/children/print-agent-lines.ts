import { writeSync } from 'node:fs';
import { makeAgentLines } from './agent-lines.ts';

// Generated once and printed repeatedly, so that the reader limits the speed and not this program.
const BLOCK_BYTES = 8 * 1024 * 1024;
const block = Buffer.from(makeAgentLines(BLOCK_BYTES));
const times = Math.ceil((Number(process.argv[2]) * 1024 * 1024) / BLOCK_BYTES);

for (let time = 0; time < times; time += 1) {
  for (let at = 0; at < block.length; ) at += writeSync(1, block, at);
}
