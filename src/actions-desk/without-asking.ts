import { z } from 'zod';
import type { GitHub } from '../core/ports/github-port.ts';
import type { DeskParts } from './desk-parts.ts';

/** The facts about the repository that come with every event. */
const Told = z.object({
  repository: z.object({
    id: z.number(),
    default_branch: z.string().min(1),
    private: z.boolean(),
    archived: z.boolean(),
  }),
});

/** GitHub, which is not asked for what a job of Actions knows already: its workflow is there, and its event tells of the repository. */
export function withoutAsking({ job, github }: Pick<DeskParts, 'job' | 'github'>): GitHub {
  return {
    ...github,
    workflow: async (file) => (file === job.workflow ? 'there' : github.workflow(file)),
    async defaultBranch() {
      const { repository } = Told.safeParse(job.event.payload).data ?? {};
      const sha = repository?.id === job.repoId && (await github.branchHead(repository.default_branch));
      if (!repository || !sha) return github.defaultBranch();
      const { id: repo_id, default_branch: name, archived } = repository;
      return { name, sha, private: repository.private, archived, repo_id };
    },
  };
}
