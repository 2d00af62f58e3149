import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';

const SIGNATURE = /^sha256=([0-9a-f]{64})$/;

/** Whether GitHub, or someone who knows the secret, sent exactly these bytes. */
export function isSigned(raw: Uint8Array, signature: string | undefined, secret: KeyObject): boolean {
  const given = SIGNATURE.exec(signature ?? '')?.[1];
  if (!given) return false;
  return timingSafeEqual(Buffer.from(given, 'hex'), createHmac('sha256', secret).update(raw).digest());
}
