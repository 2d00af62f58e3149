import type { GitHub } from '../core/ports/github-port.ts';

/**
 * The person who edited the text last. Undefined if an App did, because an edit by an App (we tick nothing) hides who ticked the
 * box.
 */
export async function lastPerson(github: GitHub, nodeId: string): Promise<string | undefined> {
  const editor = (await github.lastEdit(nodeId))?.by;
  return editor?.endsWith('[bot]') ? undefined : editor;
}
