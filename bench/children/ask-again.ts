import { existsSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * An agent that asks for one value after another and reports when it read each, by the clock that all processes share.
 */
const [port = '', rounds = ''] = process.argv.slice(2);
const file = process.env.AUTOBUILD_INPUTS ?? '';
const listener = connect(Number(port), '127.0.0.1');
for (let round = 1; round <= Number(rounds); round += 1) {
  const key = `value_${round}`;
  process.stdout.write(
    `<<<NEED_HELP>>>\nwhat_i_tried: waited\nwhat_i_need: a value\ninputs: [{key: ${key}, label: A value}]\n<<<END_HELP>>>\n`,
  );
  while (!existsSync(file) || !readFileSync(file, 'utf8').includes(`"${key}"`)) await sleep(2);
  listener.write(`${process.hrtime.bigint()}\n`);
}
listener.end();
