import type { ReportedError } from '../../core/contracts/agent/player-report.ts';
import type { GuardEvent } from '../../core/contracts/guard.ts';
import type { ExternalBlocker, Verification } from '../../core/contracts/verification.ts';
import { clip, oneLine } from '../words/wording.ts';

const MESSAGE_READ = 500;
const NAME_CHARS = 500;

export interface BlockerSighting {
  blocker: ExternalBlocker;
  operation: string;
  at: string;
}

/** External blockers that an event shows. An operation that succeeded was not blocked. */
export function readBlockers(event: GuardEvent): BlockerSighting[] {
  switch (event.type) {
    case 'action_ended':
      if (!event.blocker || event.ok || event.refused) return [];
      return [{ blocker: event.blocker, operation: clip(event.operation, NAME_CHARS), at: event.at }];
    case 'verified':
    case 'baseline':
      return readChecks(event.verification, event.at);
    case 'report_received':
      return event.read.report.errors
        .filter((error) => error.type === 'missing_dependency' && error.recoverable !== true)
        .map((error) => ({ blocker: readDependency(error), operation: "the agent's report", at: event.at }));
    default:
      return [];
  }
}

/** Operations that passed according to this event. */
export function readPassed(event: GuardEvent): string[] {
  if (event.type === 'action_ended') {
    return event.ok && !event.refused ? [clip(event.operation, NAME_CHARS)] : [];
  }
  if (event.type !== 'verified' && event.type !== 'baseline') return [];
  return event.verification.checks
    .filter((check) => check.ok)
    .map((check) => clip(check.command, NAME_CHARS));
}

function readChecks({ checks }: Verification, at: string): BlockerSighting[] {
  return checks.flatMap(({ ok, blocker, command }) =>
    ok || !blocker ? [] : [{ blocker, operation: clip(command, NAME_CHARS), at }],
  );
}

const NAME_AND_VERSION = /(@?[\w.-]{1,100}(?:\/[\w.-]{1,100})?)@([~^]?\d[\w.+-]{0,50})/;
const QUOTED = /["'`]([^"'`]{1,100})["'`]/;
const REQUIRED_BY = /\b(?:required|needed|imported) (?:by|in|from) ["'`]?([\w@./-]{1,200}(?::\d{1,7})?)/i;

/** A best guess, because the player reports a sentence and not a package. */
function readDependency({ message }: ReportedError): ExternalBlocker {
  const text = oneLine(message, MESSAGE_READ);
  const [, name, version] = NAME_AND_VERSION.exec(text) ?? [];
  const required_by = REQUIRED_BY.exec(text)?.[1]?.replace(/\.$/, '');
  return {
    kind: 'missing_dependency',
    name: name ?? QUOTED.exec(text)?.[1] ?? (clip(text, 100) || 'a dependency'),
    ...(version && { version: version.replace(/\.$/, '') }),
    ...(required_by && { required_by }),
  };
}
