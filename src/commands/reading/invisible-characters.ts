/**
 * Characters that render as nothing or as nobody knows what: control, format and private characters, half pairs, those that
 * are none by definition, and all that Unicode calls ignorable. They hide text from people (tag characters spell out whole sentences) or reorder it.
 * https://www.unicode.org/reports/tr36/ and https://trojansource.codes
 */
const INVISIBLE =
  /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800\ufff9-\ufffb]/gu;

/** A family emoji is several emoji with joiners between them, which hide nothing. */
const EMOJI_BEFORE = /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)$/u;
const EMOJI_AFTER = /^\p{Extended_Pictographic}/u;
/** Scripts that are spelt with joiners and non-joiners between their letters. */
const JOINED =
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}]/u;

/** The text without invisible characters, and the number of those that could hide something. */
export function removeInvisible(text: string): { text: string; removed: number } {
  let removed = 0;
  const kept = text.replace(INVISIBLE, (character, offset: number) => {
    if (character === '\ufe0f') return '';
    if (character === '\u200d' && joinsEmoji(text, offset)) return character;
    if ((character === '\u200c' || character === '\u200d') && joinsLetters(text, offset)) return character;
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

/** One joiner between two letters is spelling. A second one in a row is not. */
function joinsLetters(text: string, offset: number): boolean {
  return JOINED.test(text.charAt(offset - 1)) && JOINED.test(text.charAt(offset + 1));
}
