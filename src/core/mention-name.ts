const LOGIN = '[A-Za-z0-9][A-Za-z0-9_-]{0,38}';
const TEAM = '[A-Za-z0-9][A-Za-z0-9._-]{0,99}';

/** A GitHub login, or `organisation/team`, without the `@`: all that may ever stand behind an `@` of ours. */
export const MENTION_NAME = new RegExp(`^${LOGIN}(?:/${TEAM})?$`);
