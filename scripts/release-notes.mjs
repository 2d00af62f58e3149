/** The section of CHANGELOG.md that is about a version, without its heading. Undefined if there is none. */
export function findNotes(changelog, version) {
  const sections = changelog.split(/^## /m).slice(1);
  const isAbout = (section) => /^\[?([^\]\s]+)/.exec(section)?.[1] === version;
  const [, ...lines] = sections.find(isAbout)?.split('\n') ?? [];
  const text = lines.join('\n').trim();
  return text === '' ? undefined : `${text}\n`;
}
