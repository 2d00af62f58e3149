import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';

/** One line from the person at the terminal. Undefined if they left the question, by Ctrl-C or Ctrl-D. */
export async function askLine(
  question: string,
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
): Promise<string | undefined> {
  const line = createInterface({ input, output });
  try {
    const left = once(line, 'close').then(() => undefined);
    return await Promise.race([line.question(question), left]);
  } catch (error) {
    if ((error as Error).name === 'AbortError') return undefined;
    throw error;
  } finally {
    line.close();
  }
}
