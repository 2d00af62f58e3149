import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Answer } from './gap.ts';

/** emulate knows no ETags. GitHub's differ by token, too. */
export function answerIfChanged({ method, headers }: IncomingMessage, answer: Answer): Answer {
  if (method !== 'GET' || answer.status !== 200) return answer;
  const content = `${headers.authorization}\n${JSON.stringify(answer.body)}`;
  const etag = `W/"${createHash('sha256').update(content).digest('hex')}"`;
  if (headers['if-none-match'] === etag) return { status: 304, headers: { etag } };
  return { ...answer, headers: { ...answer.headers, etag } };
}
