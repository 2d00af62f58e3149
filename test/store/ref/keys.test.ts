import { hkdfSync } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  checkpointKey,
  deriveBriefKey,
  deriveKeys,
  openingKeys,
  workKey,
} from '../../../src/store/ref/keys.ts';
import { createSealer } from '../../../src/store/seal.ts';

const repository = { id: 77, name: 'alice/demo' };
/** Versions before bound the keys to the name. The keys by the id come first. */
const first = (keys: string) => keys.split(',')[0] ?? '';
const modelKey = 'sk-model';
const stateKey = 's'.repeat(44);

test('N-2: state and brief have keys of their own, of 32 bytes, the same ones each time', () => {
  const keys = deriveKeys({ stateKey, modelKey, repository });
  expect(keys).toEqual(deriveKeys({ stateKey: ` ${stateKey}\n`, modelKey: `${modelKey}\n`, repository }));
  expect(keys.isDerived).toBe(false);
  for (const key of [...keys.state.split(','), keys.brief])
    expect(Buffer.from(key, 'base64')).toHaveLength(32);
  expect(new Set([keys.state, keys.brief, stateKey, modelKey]).size).toBe(4);
});

test('N-2: a build makes the key of its brief from its model key, and not that of the state', () => {
  const keys = deriveKeys({ stateKey, modelKey, repository });
  expect(deriveBriefKey({ modelKey, repository })).toBe(keys.brief);
  expect(deriveKeys({ stateKey: 't'.repeat(44), modelKey, repository })).toMatchObject({ brief: keys.brief });
  expect(deriveKeys({ stateKey, modelKey: 'another', repository })).toMatchObject({ state: keys.state });
});

test('N-2: without a key of the state it is derived from the model key, and said so', () => {
  const keys = deriveKeys({ modelKey, repository, stateKey: ' ' });
  expect(keys.isDerived).toBe(true);
  expect(keys.state).not.toBe(keys.brief);
  expect(deriveKeys({ modelKey: 'another', repository }).state).not.toBe(keys.state);
});

test('N-2: keys are of one repository, whatever its name is or was, and of no other one of that name', () => {
  const keys = deriveKeys({ stateKey, modelKey, repository });
  const renamed = deriveKeys({ stateKey, modelKey, repository: { ...repository, name: 'bob/shop' } });
  expect([first(renamed.state), renamed.brief]).toEqual([first(keys.state), keys.brief]);
  const anew = deriveKeys({ stateKey, modelKey, repository: { ...repository, id: 78 } });
  expect(first(anew.state)).not.toBe(first(keys.state));
  expect(anew.brief).not.toBe(keys.brief);
  const sealed = createSealer(keys.state).seal(Buffer.from('x'), ['c']);
  expect(() => createSealer(anew.state).open(sealed, ['c'])).toThrow('not given any more');
});

test('N-2: what an older version sealed, with keys by the name, is opened and then sealed anew', () => {
  const byName = (use: string) =>
    Buffer.from(hkdfSync('sha256', stateKey, 'autobuild', use, 32)).toString('base64');
  const sealed = createSealer(byName('state of alice/demo')).seal(Buffer.from('x'), ['c']);
  const { state } = deriveKeys({ stateKey, modelKey, repository: { ...repository, name: 'Alice/Demo' } });
  expect(createSealer(state).open(sealed, ['c']).toString()).toBe('x');
  expect(createSealer(state).isOutdated(sealed)).toBe(true);
});

test('N-2: a new key before the old one opens what the old one sealed', () => {
  const old = createSealer(deriveKeys({ stateKey, modelKey, repository }).state);
  const both = deriveKeys({ stateKey: `${'n'.repeat(44)}, ${stateKey}`, modelKey, repository });
  const sealed = old.seal(Buffer.from('x'), ['c']);
  expect(createSealer(both.state).open(sealed, ['c']).toString()).toBe('x');
  expect(createSealer(both.state).isOutdated(sealed)).toBe(true);
});

test('N-2: with a key of the state, that of the model opens what is older, and seals nothing', () => {
  const before = deriveKeys({ modelKey, repository });
  const keys = deriveKeys({ stateKey, modelKey, repository });
  expect(keys.state).not.toContain(first(before.state));
  const opening = openingKeys(keys);
  const sealed = createSealer(before.state).seal(Buffer.from('x'), ['c']);
  expect(createSealer(opening.state).open(sealed, ['c']).toString()).toBe('x');
  expect(first(opening.state)).toBe(first(keys.state));
  const left = createSealer(workKey(before, 'op-1')).seal(Buffer.from('y'), ['c']);
  expect(createSealer(workKey(opening, 'op-1')).open(left, ['c']).toString()).toBe('y');
});

test('N-2: what a build is given opens the work of its own job and the conversation of its issue, and no change of the model key closes it', () => {
  const keys = deriveKeys({ stateKey, modelKey, repository });
  const changed = deriveKeys({ stateKey, modelKey: 'another', repository });
  expect(workKey(changed, 'op-1')).toBe(workKey(keys, 'op-1'));
  expect(checkpointKey(changed, 7)).toBe(checkpointKey(keys, 7));
  const all = [keys.state, keys.brief, workKey(keys, 'op-1'), workKey(keys, 'op-2')];
  expect(new Set([...all, checkpointKey(keys, 7), checkpointKey(keys, 8)]).size).toBe(6);
  // A key of the state that was put before the old one.
  const both = deriveKeys({ stateKey: `${'n'.repeat(44)},${stateKey}`, modelKey, repository });
  const sealed = createSealer(workKey(keys, 'op-1')).seal(Buffer.from('x'), ['c']);
  expect(createSealer(workKey(both, 'op-1')).open(sealed, ['c']).toString()).toBe('x');
});

test('N-2: a key that can be guessed, and no model key at all, are refused with what to do', () => {
  expect(() => deriveKeys({ stateKey: 'secret', modelKey, repository })).toThrow(
    expect.objectContaining({ code: 'state_key_weak', remedy: expect.stringContaining('openssl rand') }),
  );
  expect(() => deriveKeys({ stateKey, modelKey: ' ', repository })).toThrow(
    expect.objectContaining({ code: 'model_key_missing', remedy: expect.stringContaining('model_key') }),
  );
});
