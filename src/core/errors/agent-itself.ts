/**
 * The name of the operation that represents the agent's whole run, beside the operations of its tools. It succeeds if the agent
 * ended without an error, or ended with one but left a report and changed files, because such an agent still makes progress.
 */
export const AGENT_ITSELF = 'the agent itself';
