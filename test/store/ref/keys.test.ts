import { expect, test } from 'vitest';
import { deriveJobKey, deriveKeys } from '../../../src/store/ref/keys.ts';
import { createSealer } from '../../../src/store/seal.ts';

const repository = 'alice/demo';
const modelKey = 'sk-model';
const stateKey = 's'.repeat(44);

test('N-2: state and job have keys of their own, of 32 bytes, the same ones each time', () => {
  const keys = deriveKeys({ stateKey, modelKey, repository });
  expect(keys).toEqual(deriveKeys({ stateKey: ` ${stateKey}\n`, modelKey: `${modelKey}\n`, repository }));
  expect(keys.isDerived).toBe(false);
  for (const key of [keys.state, keys.job]) expect(Buffer.from(key, 'base64')).toHaveLength(32);
  expect(new Set([keys.state, keys.job, stateKey, modelKey]).size).toBe(4);
});

test('N-2: a build makes the key of the job from its model key, and not that of the state', () => {
  const keys = deriveKeys({ stateKey, modelKey, repository });
  expect(deriveJobKey({ modelKey, repository })).toBe(keys.job);
  expect(deriveKeys({ stateKey: 't'.repeat(44), modelKey, repository })).toMatchObject({ job: keys.job });
  expect(deriveKeys({ stateKey, modelKey: 'another', repository })).toMatchObject({ state: keys.state });
});

test('N-2: without a key of the state it is derived from the model key, and said so', () => {
  const keys = deriveKeys({ modelKey, repository, stateKey: ' ' });
  expect(keys.isDerived).toBe(true);
  expect(keys.state).not.toBe(keys.job);
  expect(deriveKeys({ modelKey: 'another', repository }).state).not.toBe(keys.state);
});

test('N-2: keys are of one repository, however its name is written', () => {
  const keys = deriveKeys({ stateKey, modelKey, repository });
  expect(deriveKeys({ stateKey, modelKey, repository: 'Alice/Demo' })).toEqual(keys);
  const other = deriveKeys({ stateKey, modelKey, repository: 'alice/other' });
  expect(other.state).not.toBe(keys.state);
  expect(other.job).not.toBe(keys.job);
});

test('N-2: a new key before the old one opens what the old one sealed', () => {
  const old = createSealer(deriveKeys({ stateKey, modelKey, repository }).state);
  const both = deriveKeys({ stateKey: `${'n'.repeat(44)}, ${stateKey}`, modelKey, repository });
  const sealed = old.seal(Buffer.from('x'), ['c']);
  expect(createSealer(both.state).open(sealed, ['c']).toString()).toBe('x');
  expect(createSealer(both.state).isOutdated(sealed)).toBe(true);
});

test('N-2: a key that can be guessed, and no model key at all, are refused with what to do', () => {
  expect(() => deriveKeys({ stateKey: 'secret', modelKey, repository })).toThrow(
    expect.objectContaining({ code: 'state_key_weak', remedy: expect.stringContaining('openssl rand') }),
  );
  expect(() => deriveKeys({ stateKey, modelKey: ' ', repository })).toThrow(
    expect.objectContaining({ code: 'model_key_missing', remedy: expect.stringContaining('model_key') }),
  );
});
