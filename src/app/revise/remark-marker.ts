/** The operation id of the reply to one thread, the same for every try (V-4). */
export function replyOp(run: string, round: number, remark: string): string {
  return `${run}.round-${round}.${remark}`;
}

const OP = /\.round-(\d+)\.(R\d+)$/;

/** The round and the remark that a reply is about. Undefined: this is no such operation id. */
export function readReplyOp(op: string | undefined): { round: number; remark: string } | undefined {
  const [, round, remark] = OP.exec(op ?? '') ?? [];
  return remark === undefined ? undefined : { round: Number(round), remark };
}

const IN_SUMMARY = /<!-- autobuild:remark run=[\w.-]+ op=([\w.-]+) -->$/gm;

/** The remarks whose answers a summary has, because GitHub refuses them in their threads. */
export function remarksInSummary(body: string): ReadonlySet<string> {
  const named = [...body.matchAll(IN_SUMMARY)].flatMap(([, op]) => readReplyOp(op)?.remark ?? []);
  return new Set(named);
}
