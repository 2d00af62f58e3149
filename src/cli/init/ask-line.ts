import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';

/**
 * Asks the person at the terminal for one line at a time. Undefined if they left the question, by Ctrl-C or Ctrl-D. A terminal gives
 * all that was typed at once, so lines after the answer are kept for the next question.
 */
export function createAskLine(
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
): (question: string) => Promise<string | undefined> {
  const ahead: string[] = [];
  let begun = '';
  return async (question) => {
    const next = ahead.shift();
    if (next !== undefined) {
      output.write(`${question}${next}\n`);
      return next;
    }
    const line = createInterface({ input, output });
    try {
      const left = once(line, 'close').then(() => undefined);
      const answer = line.question(question);
      // Only the first line is the answer; readline tells of the others.
      line.on('line', (text) => ahead.push(text));
      if (begun !== '') line.write(begun);
      return await Promise.race([answer, left]);
    } catch (error) {
      if ((error as Error).name === 'AbortError') return undefined;
      throw error;
    } finally {
      begun = line.line;
      line.close();
    }
  };
}
