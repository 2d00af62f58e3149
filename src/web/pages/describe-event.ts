import { count, list } from '../../comments/text/words.ts';
import { showCommand } from '../../core/contracts/command.ts';
import type { RunEvent } from '../../core/contracts/run-event.ts';
import { score } from '../../core/contracts/verification.ts';

interface Told {
  who: string;
  what: string;
}

const AUTOBUILD = 'Autobuild';

/** One line of "who did what". Undefined for events that only prepare others. */
export function describeEvent(event: RunEvent): Told | undefined {
  const own = (what: string): Told => ({ who: AUTOBUILD, what });
  const passed = (verification: Parameters<typeof score>[0]) => {
    const { passed, total, unit } = score(verification);
    return `${passed}/${total} ${unit} pass`;
  };
  switch (event.type) {
    case 'run_requested':
      return { who: event.requested_by, what: 'requested the run' };
    case 'job_started':
      return own(`started job ${event.job}`);
    case 'baseline_recorded':
      return own(`ran the checks before any change: ${passed(event.verification)}`);
    case 'turn_started':
      return own(
        `${event.resumed ? 'resumed' : 'started'} turn ${event.turn}${event.kind === 'debug' ? ' (debug)' : ''}`,
      );
    case 'turn_ended': {
      const { record } = event;
      const result = record.verification ? `: ${passed(record.verification)}` : '';
      return own(`ended turn ${record.turn}${result}`);
    }
    case 'escalation_raised':
      return own(`asked: ${event.escalation.headline}`);
    case 'agent_frozen':
      return own(
        `paused the agent, ${count(event.processes, 'process', 'processes')} stopped in ${Math.round(event.ms)} ms`,
      );
    case 'inputs_given':
      return { who: event.by, what: `gave ${list(Object.keys(event.inputs))}` };
    case 'response_recorded':
      return { who: event.response.by, what: `answered ${showCommand(event.response.command)}` };
    case 'escalation_resolved':
      return own(`closed the question: ${event.status.replaceAll('_', ' ')}`);
    case 'answer_acknowledged':
      return { who: 'agent', what: `acknowledged: ${event.text}` };
    case 'agent_changed':
      return own(`changed the agent to ${event.agent}`);
    case 'known_issue_recorded':
      return { who: event.issue.by, what: `recorded a known issue: ${event.issue.title}` };
    case 'run_paused':
      return { who: event.by, what: 'paused the run' };
    case 'job_parked':
      return own('paused the run: the work is saved, the job has ended');
    case 'job_lost':
      return own(`lost the job: ${event.reason}`);
    case 'job_handed_over':
      return own('handed over to another job');
    case 'agent_terminated':
      return own(`ended the agent: ${event.reason}`);
    case 'reminder_sent':
      return own(`sent reminder ${event.number}`);
    case 'command_refused':
      return own(`refused ${event.command} of ${event.by}: ${event.reason}`);
    case 'verification_requested':
      return own('started the checks on a clean checkout');
    case 'verification_dropped':
      return own(`dropped the checks on a clean checkout, after a word of ${event.by}`);
    case 'verification_reported':
      return own(`ran the checks on a clean checkout: ${passed(event.verification)}`);
    case 'pull_request_closed':
      return { who: event.by, what: `closed pull request #${event.pull}` };
    case 'pull_request_reopened':
      return { who: event.by, what: `reopened pull request #${event.pull}` };
    case 'run_judged':
      return {
        who: event.by,
        what: event.status === 'approved' ? 'merged the pull request' : 'closed the pull request',
      };
    case 'run_finished':
      return { who: event.by ?? AUTOBUILD, what: `finished the run: ${event.reason}` };
    case 'revision_asked':
      return { who: event.by, what: `asked for a round${event.instruction ? `: ${event.instruction}` : ''}` };
    case 'revision_started': {
      const { number, remarks } = event.revision;
      return own(`began round ${number}${remarks.length > 0 ? `: ${count(remarks.length, 'remark')}` : ''}`);
    }
    case 'revision_ended':
      return own(`ended the round: ${event.outcome}${event.reason ? `, ${event.reason}` : ''}`);
    case 'revision_moved':
      return own(`continued the round on ${event.head.slice(0, 7)}, because the branch had moved`);
    case 'revision_dropped':
      return own(`began no round: ${event.reason}`);
    case 'revisions_allowed':
      return { who: event.by, what: `allowed ${count(event.more, 'more round')}` };
    case 'limits_changed':
    case 'answer_prepared':
    case 'answer_delivered':
    case 'review_shown':
      return undefined;
  }
}
