/**
 * The operation that the agent's own end is, beside those of its tools. It has passed when the agent ended well, or ended otherwise
 * with a report and changed files: only an agent that does nothing is broken.
 */
export const AGENT_ITSELF = 'the agent itself';
