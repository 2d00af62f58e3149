/** The operation that the agent's own end is, beside those of its tools. Only a good end of it says that it works again. */
export const AGENT_ITSELF = 'the agent itself';
