import type { ClaimRequest } from '../../src/core/ports/job-api.ts';
import { TARGET, type TestDesk } from './desk.ts';

export interface JobAnswer {
  status: number;
  json: Record<string, unknown>;
}

/** One request of a job to the desk. What is no JSON comes back as `text`. */
export async function callJobApi(
  desk: TestDesk,
  method: string,
  path: string,
  { token, json, body }: { token?: string; json?: unknown; body?: ReadableStream | string } = {},
): Promise<JobAnswer> {
  const response = await fetch(`${desk.url}/api/jobs${path}`, {
    method,
    headers: token ? { authorization: `Bearer ${token}` } : {},
    body: json === undefined ? body : JSON.stringify(json),
    duplex: 'half',
  } as Parameters<typeof fetch>[1]);
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json');
  return { status: response.status, json: isJson ? JSON.parse(text) : { text } };
}

export function claimJob(
  desk: TestDesk,
  ticket: string,
  more: Partial<ClaimRequest> = {},
): Promise<JobAnswer> {
  return callJobApi(desk, 'POST', '/claim', {
    json: { ticket, actions_run_id: 900, attempt: 1, ...more },
  });
}

/** A changeset with one file of this content. */
export function workOf(text: string): string {
  const content = Buffer.from(text).toString('base64');
  const files = [{ path: 'src/login.ts', mode: '100644', status: 'added', content }];
  return JSON.stringify({ base_sha: TARGET.head_sha, files, left_out: [] });
}
