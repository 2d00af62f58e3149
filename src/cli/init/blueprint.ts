import type { SetUp } from './set-up.ts';

/** The agent of a repository's jobs. */
export interface PlannedAgent {
  name: string;
  /** The command that installs it, and the version that it installs. Undefined for an agent of the repository's own. */
  install?: string;
  version?: string;
  /** The oldest major version of Node.js that it asks for. */
  node?: number;
  /** The variable that holds its key, which is also the name of the Actions secret. */
  key?: string;
  /** Variables that it takes instead. */
  otherKeys: string[];
}

/** Everything that a workflow of Autobuild is made of, whatever desk it belongs to. */
export interface Blueprint {
  setUp: SetUp;
  agent: PlannedAgent;
  /** `OWNER/REPO@COMMIT` of the action. */
  action: string;
  /** The App that starts the jobs. Absent: they run without a server, and the desk is one of them. */
  app?: {
    /** Its address, which the jobs then trust alone. */
    desk: string;
  };
}
