/** A line of `git diff-index --raw -z`: the tree's side and the index's side of one name. */
export type RawChange = {
  name: string;
  status: string;
  oldMode: string;
  newMode: string;
  oldId: string;
  newId: string;
};
export type LineCount = { added: number; removed: number; binary: boolean };

const RAW = /^:(\d{6}) (\d{6}) ([0-9a-f]+) ([0-9a-f]+) ([A-Z])\d*$/;
const NUMSTAT = /^(\d+|-)\t(\d+|-)\t([\s\S]+)$/;

/** Output of `--raw --numstat -z --no-renames`: first all raw records (two fields each), then one field per count. */
export function parseTreeDiff(output: Buffer): { raw: RawChange[]; counts: Map<string, LineCount> } {
  const fields = splitNul(output);
  const raw: RawChange[] = [];
  const counts = new Map<string, LineCount>();
  for (let at = 0; at < fields.length; at += 1) {
    const field = fields[at] ?? '';
    const record = RAW.exec(field);
    const name = fields[at + 1];
    if (record && name !== undefined) {
      const [, oldMode = '', newMode = '', oldId = '', newId = '', status = ''] = record;
      raw.push({ name, status, oldMode, newMode, oldId, newId });
      at += 1;
      continue;
    }
    const count = NUMSTAT.exec(field);
    if (count) {
      const binary = count[1] === '-';
      counts.set(count[3] ?? '', {
        added: binary ? 0 : Number(count[1]),
        removed: binary ? 0 : Number(count[2]),
        binary,
      });
    }
  }
  return { raw, counts };
}

export type TreeEntry = { mode: string; id: string };

/** Output of `git ls-tree -r -z`. */
export function parseTree(output: Buffer): Map<string, TreeEntry> {
  const entries = new Map<string, TreeEntry>();
  for (const line of splitNul(output)) {
    const tab = line.indexOf('\t');
    const [mode, , id] = line.slice(0, tab).split(' ');
    if (mode !== undefined && id !== undefined) entries.set(line.slice(tab + 1), { mode, id });
  }
  return entries;
}

export function splitNul(output: Buffer): string[] {
  return output.toString('utf8').split('\0').slice(0, -1);
}
