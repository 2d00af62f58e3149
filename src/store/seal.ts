import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto';

/** A value cannot be opened, or a key is malformed. The message never contains the value or the key. */
export class SealError extends Error {
  override name = 'SealError';
}

/** None of the given keys sealed the value. */
export class UnknownKeyError extends SealError {}

/** Encryption at rest. A value sealed in one context cannot be opened in another. */
export interface Sealer {
  seal(plain: Uint8Array, context: string[]): Uint8Array;
  open(sealed: Uint8Array, context: string[]): Buffer;
  /** True if the value was sealed with a key that is not the first any more. */
  isOutdated(sealed: Uint8Array): boolean;
}

const CIPHER = 'aes-256-gcm';
const FORMAT = 1;
const KEY_BYTES = 32;
const ID_BYTES = 4;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = 1 + ID_BYTES + IV_BYTES + TAG_BYTES;

interface Key {
  id: Buffer;
  /** Created once, because creating the key object costs more than the encryption. */
  secret: KeyObject;
}

/** Reads one or more keys, separated by commas. The first one seals, all of them open. */
export function createSealer(keys: string): Sealer {
  const known = keys.split(',').map((text, index) => readKey(text.trim(), index + 1));
  const [first] = known;
  if (!first) throw new SealError('There is no key.');
  const idOf = (sealed: Uint8Array) => sealed.subarray(1, 1 + ID_BYTES);
  return {
    isOutdated: (sealed) => !first.id.equals(idOf(sealed)),
    seal(plain, context) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(CIPHER, first.secret, iv, { authTagLength: TAG_BYTES });
      cipher.setAAD(contextBytes(context));
      const body = cipher.update(plain);
      cipher.final();
      return Buffer.concat([Buffer.of(FORMAT), first.id, iv, cipher.getAuthTag(), body]);
    },
    open(sealed, context) {
      if (sealed.length < HEAD_BYTES || sealed[0] !== FORMAT)
        throw new SealError('A stored value is damaged: it does not begin like a sealed one.');
      const key = known.find(({ id }) => id.equals(idOf(sealed)));
      if (!key)
        throw new UnknownKeyError(
          'A stored value was sealed with a key that is not given any more. Add the old key behind the new one, with a comma between.',
        );
      const iv = sealed.subarray(1 + ID_BYTES, 1 + ID_BYTES + IV_BYTES);
      const decipher = createDecipheriv(CIPHER, key.secret, iv, { authTagLength: TAG_BYTES });
      decipher.setAuthTag(sealed.subarray(HEAD_BYTES - TAG_BYTES, HEAD_BYTES));
      decipher.setAAD(contextBytes(context));
      const plain = decipher.update(sealed.subarray(HEAD_BYTES));
      try {
        decipher.final();
      } catch (cause) {
        throw new SealError('A stored value was changed or moved since it was sealed: it is not used.', {
          cause,
        });
      }
      return plain;
    },
  };
}

function contextBytes(context: string[]): Buffer {
  return Buffer.from(JSON.stringify(context));
}

function readKey(text: string, position: number): Key {
  // Hex is tried first, because 64 hex digits are also valid base64, of another length.
  const bytes = /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, 'hex') : readBase64(text);
  if (bytes?.length !== KEY_BYTES)
    throw new SealError(
      `Key ${position} is not ${KEY_BYTES} bytes in base64 or hex. Make one with: openssl rand -base64 ${KEY_BYTES}`,
    );
  const id = createHash('sha256').update('key id').update(bytes).digest().subarray(0, ID_BYTES);
  return { id, secret: createSecretKey(bytes) };
}

function readBase64(text: string): Buffer | undefined {
  return /^[A-Za-z0-9+/_-]+={0,2}$/.test(text) ? Buffer.from(text, 'base64') : undefined;
}
