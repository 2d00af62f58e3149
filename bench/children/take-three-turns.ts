import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** An agent that works for three turns and asks for one value in the second. */
const { AUTOBUILD_CONTEXT = '', AUTOBUILD_REPORT = '', AUTOBUILD_INPUT_COLOUR = '' } = process.env;
const { turn } = JSON.parse(readFileSync(AUTOBUILD_CONTEXT, 'utf8')) as { turn: number };

if (turn === 2 && !AUTOBUILD_INPUT_COLOUR) {
  process.stdout.write(`<<<NEED_HELP>>>
what_i_tried: looked for the colour in the repository
what_i_need: the colour of the door
inputs: [{key: colour, label: Colour of the door}]
<<<END_HELP>>>
`);
  // The agent is frozen here, and the job ends.
  await sleep(60_000);
}
writeFileSync(turn === 3 ? 'done.txt' : `step-${turn}.txt`, `${AUTOBUILD_INPUT_COLOUR}\n`);
writeFileSync(
  AUTOBUILD_REPORT,
  JSON.stringify({ status: turn === 3 ? 'implemented' : 'partial', summary: `Step ${turn}` }),
);
