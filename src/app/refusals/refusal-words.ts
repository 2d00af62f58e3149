import type { Outgoing } from '../../core/contracts/effect.ts';

export interface Refusal {
  what: string;
  /** Read after GitHub's words. Absent: it depends on the case. */
  remedy?: string;
}

const SEE_STATUS = 'Reply `/status` to see where the run stands.';
const NO_DESCRIPTION = {
  what: 'The description of the pull request cannot be written',
  remedy: `What it says may be outdated. ${SEE_STATUS}`,
};

/**
 * the words for every effect that GitHub refuses for good, so that none fails in silence. `null`: the effect calls GitHub
 * for nothing that people miss, or nothing can be written where they would read it.
 */
export const REFUSALS = {
  publish: { what: 'The work cannot be committed' },
  dispatch_job: { what: 'The job cannot be started' },
  dispatch_verification: { what: 'The verification job cannot be started' },
  stop_job: { what: 'The job cannot be cancelled', remedy: 'Cancel it in the Actions tab.' },
  stop_verification: {
    what: 'The verification job cannot be cancelled',
    remedy: 'Cancel it in the Actions tab.',
  },
  run_ci: NO_DESCRIPTION,
  describe_pull: NO_DESCRIPTION,
  collect_revision: { what: 'The round cannot be started' },
  answer_remarks: {
    what: 'The replies to the remarks cannot be written',
    remedy: 'The commit of the round shows what it changed.',
  },
  settle_pull: {
    what: 'The merged or closed pull request cannot be read',
    remedy: 'If CI did not run after a merge, start it in the Actions tab.',
  },
  show_ci: { what: 'The comment about CI cannot be written', remedy: 'See the checks on the pull request.' },
  update_status: { what: 'The status cannot be shown here', remedy: SEE_STATUS },
  ask: { what: 'The question cannot be written here', remedy: 'Reply `/review` to be asked again.' },
  close_question: {
    what: 'The comment with the question cannot be updated',
    remedy: 'Your answer still counts.',
  },
  show_review: { what: 'The history cannot be shown here', remedy: 'Reply `/review` to try again.' },
  show_receipt: { what: 'The receipt cannot be written here', remedy: SEE_STATUS },
  notify: { what: 'The reminder cannot be written here', remedy: SEE_STATUS },
  delete_comment: {
    what: 'A comment that contains a secret cannot be deleted',
    remedy: 'Delete it yourself, and replace the secret.',
  },
  reply: { what: 'A reply on the pull request cannot be written', remedy: SEE_STATUS },
  notice: null,
  react: null,
  save_blocked_report: null,
  forget_inputs: null,
} satisfies Record<Outgoing['type'], Refusal | null>;
