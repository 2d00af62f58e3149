import { removeInvisible } from './invisible-characters.ts';

/** Typing aids turn spaces, dashes and quotes into look-alikes. Between words of a command they mean the plain ones. */
export function tidyWords(text: string): string {
  return removeInvisible(text)
    .text.replace(/[\s\u00a0\u2000-\u200a\u202f\u205f\u3000]+/gu, ' ')
    .replace(/[\u2010-\u2015\u2212]/gu, '-')
    .replace(/[\u201c-\u201f\u2033]/gu, '"')
    .replace(/[\u2018-\u201b\u2032]/gu, "'")
    .trim();
}

/** The word if it is safe to repeat: short and plain, so neither a pasted secret nor markup. */
export function showWord(word: string): string | undefined {
  return /^[A-Za-z0-9+.-]{1,20}$/.test(word) ? `\`${word}\`` : undefined;
}
