import type { DeskCapabilities } from '../core/contracts/comment-context.ts';
import type { DeskParts } from './desk-parts.ts';

/** A desk that is there only while it handles an event. */
export function capabilitiesOf({ isKeyDerived }: Pick<DeskParts, 'isKeyDerived'>): DeskCapabilities {
  void isKeyDerived;
  return { live: false, form: false };
}
