/**
 * Characters that render as nothing. They hide text from people (tag characters spell out whole sentences) or reorder
 * it.
 * https://www.unicode.org/reports/tr36/ and https://trojansource.codes
 */
const INVISIBLE =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|\u034f|[\u17b4\u17b5]|[\u180b-\u180d\u180f]|[\ufe00-\ufe0f]|[\u{1d173}-\u{1d17a}]|[\u{e0000}-\u{e0fff}]/gu;

/** A family emoji is several emoji with joiners between them, which hide nothing. */
const EMOJI_BEFORE = /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)$/u;
const EMOJI_AFTER = /^\p{Extended_Pictographic}/u;

/** The text without invisible characters, and the number of those that could hide something. */
export function removeInvisible(text: string): { text: string; removed: number } {
  let removed = 0;
  const kept = text.replace(INVISIBLE, (character, offset: number) => {
    if (character === '\ufe0f') return '';
    if (character === '\u200d' && joinsEmoji(text, offset)) return character;
    removed += 1;
    return '';
  });
  return { text: kept, removed };
}

/** True when the text contains an invisible character. */
export function hasInvisible(text: string): boolean {
  return text.search(INVISIBLE) >= 0;
}

function joinsEmoji(text: string, offset: number): boolean {
  return (
    EMOJI_BEFORE.test(text.slice(Math.max(0, offset - 2), offset)) &&
    EMOJI_AFTER.test(text.slice(offset + 1, offset + 3))
  );
}
