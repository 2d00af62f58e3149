import type { GitHub } from '../core/ports/github-port.ts';
import { type Client, orUndefined } from './client/client.ts';

type Methods = Pick<GitHub, 'addLabels' | 'removeLabel' | 'labelExists'>;

export function createLabelMethods({ request }: Client): Methods {
  return {
    async addLabels(issue, labels) {
      if (labels.length === 0) return;
      await request('POST /repos/{owner}/{repo}/issues/{issue_number}/labels', {
        issue_number: issue,
        labels,
      });
    },

    async labelExists(name) {
      const found = await orUndefined(request('GET /repos/{owner}/{repo}/labels/{name}', { name }));
      return found !== undefined;
    },

    async removeLabel(issue, label) {
      await orUndefined(
        request('DELETE /repos/{owner}/{repo}/issues/{issue_number}/labels/{name}', {
          issue_number: issue,
          name: label,
        }),
      );
    },
  };
}
