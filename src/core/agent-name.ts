/** The name of an agent, in the settings and in commands. */
export const AGENT_NAME = /^[a-z0-9][a-z0-9-]{0,39}$/;

/** The grammar of {@link AGENT_NAME} in words, for replies and errors. */
export const AGENT_NAME_FORM = 'small letters, digits and dashes';
