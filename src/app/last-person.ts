import type { GitHub } from '../core/ports/github-port.ts';

/** Who edited this last. We tick nothing: an App that edited last hides who did. */
export async function lastPerson(github: GitHub, nodeId: string): Promise<string | undefined> {
  const editor = (await github.lastEdit(nodeId))?.by;
  return editor?.endsWith('[bot]') ? undefined : editor;
}
