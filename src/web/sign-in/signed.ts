import { createHmac, timingSafeEqual } from 'node:crypto';

/** Signs small values that a browser keeps for us. Nothing is stored, so making one changes nothing. */
export interface Signer {
  sign(purpose: string, value: unknown): string;
  /** Undefined if the text is not one of ours for this purpose. Its age is for the caller to judge. */
  read(purpose: string, text: string): unknown;
}

/** Reads one or more keys, separated by commas. The first one signs, all of them are accepted. */
export function createSigner(keys: string): Signer {
  const known = keys.split(',').map((key) => createHmac('sha256', key.trim()).update('pages').digest());
  const mac = (key: Buffer, purpose: string, body: string) =>
    createHmac('sha256', key).update(`${purpose}\n${body}`).digest();
  return {
    sign(purpose, value) {
      const body = Buffer.from(JSON.stringify(value)).toString('base64url');
      const [first = Buffer.alloc(0)] = known;
      return `${body}.${mac(first, purpose, body).toString('base64url')}`;
    },
    read(purpose, text) {
      const [body = '', given = ''] = text.split('.');
      const bytes = Buffer.from(given, 'base64url');
      const isOurs = known.some((key) => {
        const own = mac(key, purpose, body);
        return own.length === bytes.length && timingSafeEqual(own, bytes);
      });
      return isOurs ? JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) : undefined;
    },
  };
}

export function isEqualText(one: string, other: string): boolean {
  const a = createHmac('sha256', 'compare').update(one).digest();
  const b = createHmac('sha256', 'compare').update(other).digest();
  return timingSafeEqual(a, b);
}
