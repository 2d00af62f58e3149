/** A limit per minute says when to try again. A spent quota names hours, days or nothing. */
const SOON = /\b(?:re)?try again in|\bretry in/i;
const WAIT =
  /^ (?:about )?(?:(\d{1,4}(?:\.\d+)?) ?m(?:in(?:ute)?s?)?\b(?:,| and)? ?|(\d{1,4}(?:\.\d+)?) ?m(?=\d))?(?:(\d{1,6}(?:\.\d+)?) ?(ms|s|sec(?:ond)?s?)\b)?/i;
const LONGEST_S = 3_600;
const PER_DAY = /\bper day\b|PerDay/i;

/** The seconds after which a provider takes requests again. Undefined if its words name none, or more than an hour. */
export function secondsUntilRetry(message: string): number | undefined {
  const at = SOON.exec(message);
  if (!at || PER_DAY.test(message)) return undefined;
  const wait = WAIT.exec(message.slice(at.index + at[0].length));
  if (!wait) return undefined;
  const [, minutes = wait[2], , amount, unit] = wait;
  if (minutes === undefined && amount === undefined) return undefined;
  const seconds = Number(amount ?? 0) / (unit?.toLowerCase() === 'ms' ? 1000 : 1);
  const total = Number(minutes ?? 0) * 60 + seconds;
  return total > LONGEST_S ? undefined : total;
}
