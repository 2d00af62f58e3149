import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLineReader } from '../../../src/runner/process/line-reader.ts';

function read(chunks: Uint8Array[], maxLineBytes?: number) {
  const lines: string[] = [];
  const overlong: string[] = [];
  let open = '';
  const reader = createLineReader({
    onLine: (line) => lines.push(line),
    onOverlong: (chunk, final) => {
      open += chunk;
      if (!final) return;
      overlong.push(open);
      open = '';
    },
    maxLineBytes,
  });
  for (const chunk of chunks) reader.push(chunk);
  reader.end();
  expect(open).toBe('');
  return { lines, overlong };
}

const bytesOf = (text: string) => [...Buffer.from(text)].map((byte) => Uint8Array.of(byte));

describe('createLineReader', () => {
  it('reads lines that end in \\n and \\r\\n, empty ones, and a last one without an end', () => {
    const text = 'one\r\ntwo\n\n\r\nthree\rthree\nlast';
    const expected = ['one', 'two', '', '', 'three\rthree', 'last'];
    expect(read([Buffer.from(text)]).lines).toEqual(expected);
    expect(read(bytesOf(text)).lines).toEqual(expected);
  });

  it('P-1: puts characters together that are split over chunks', () => {
    expect(read(bytesOf('grüße 👋\n日本\n')).lines).toEqual(['grüße 👋', '日本']);
  });

  it('replaces bytes that are no UTF-8 instead of failing', () => {
    expect(read([Uint8Array.of(0x61, 0xff, 0x0a, 0xe2, 0x82)]).lines).toEqual(['a\ufffd', '\ufffd']);
  });

  it('gives the same lines for any chunking', () => {
    const line = fc.string({ unit: 'binary', maxLength: 40 }).map((text) => text.replace(/[\r\n]/g, ''));
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.integer({ min: 1, max: 30 })), (expected, sizes) => {
        const bytes = Buffer.from(expected.map((text) => `${text}\n`).join(''));
        const chunks: Buffer[] = [];
        let at = 0;
        for (const size of sizes) {
          chunks.push(bytes.subarray(at, at + size));
          at += size;
        }
        chunks.push(bytes.subarray(at));
        expect(read(chunks).lines).toEqual(expected.map((text) => Buffer.from(text).toString()));
      }),
    );
  });

  it('streams a line over the cap in pieces and goes on with the next', () => {
    const text = `short\n${'é'.repeat(20)}\nend\n${'y'.repeat(17)}`;
    const expected = { lines: ['short', 'end'], overlong: ['é'.repeat(20), 'y'.repeat(17)] };
    expect(read([Buffer.from(text)], 16)).toEqual(expected);
    expect(read(bytesOf(text), 16)).toEqual(expected);
    expect(read([Buffer.from(`${'x'.repeat(16)}\n`)], 16).lines).toEqual(['x'.repeat(16)]);
  });

  it('reads a line of 64 MB without holding it', () => {
    let seen = 0;
    let ended = 0;
    const reader = createLineReader({
      onLine: () => undefined,
      onOverlong: (chunk, final) => {
        seen += chunk.length;
        ended += final ? 1 : 0;
      },
    });
    const chunk = Buffer.alloc(64 * 1024, 'x');
    // Counted in bytes that came and were not handed on: the memory of the process depends on when its garbage goes.
    let held = 0;
    for (let n = 1; n <= 1024; n++) {
      reader.push(chunk);
      held = Math.max(held, n * chunk.length - seen);
    }
    reader.push(Buffer.from('\n'));
    expect({ seen, ended }).toEqual({ seen: 64 * 1024 * 1024, ended: 1 });
    expect(held).toBeLessThanOrEqual(8 * 1024 * 1024);
  });
});
