import { agent } from './settings/agent.ts';
import { agents } from './settings/agents.ts';
import { checkFiles } from './settings/check-files.ts';
import { checkIsolation } from './settings/check-isolation.ts';
import { ci } from './settings/ci.ts';
import { guards } from './settings/guards.ts';
import { isolation } from './settings/isolation.ts';
import { junit } from './settings/junit.ts';
import { knownErrors } from './settings/known-errors.ts';
import { limits } from './settings/limits.ts';
import { maxTurns } from './settings/max-turns.ts';
import { notify } from './settings/notify.ts';
import { protectedPaths } from './settings/protected-paths.ts';
import { revisions } from './settings/revisions.ts';
import { roles } from './settings/roles.ts';
import { scope } from './settings/scope.ts';
import { stateDir } from './settings/state-dir.ts';
import { verify } from './settings/verify.ts';
import { waiting } from './settings/waiting.ts';

/** Every key of the file, one line each. The template and the docs keep this order. */
export const SETTINGS = {
  agent,
  agents,
  verify,
  junit,
  check_files: checkFiles,
  scope,
  known_errors: knownErrors,
  state_dir: stateDir,
  max_turns: maxTurns,
  limits,
  isolation,
  check_isolation: checkIsolation,
  waiting,
  roles,
  protected_paths: protectedPaths,
  ci,
  revisions,
  notify,
  guards,
};
