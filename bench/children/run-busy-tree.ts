import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

// An agent at work: 20 processes or more in several sessions, some of which start new ones all the time.
const SLEEPERS = 7;
const FORKERS = 3;
const STEP_MS = 5;
const LIFE_SECONDS = 300;
const [inputsFile = ''] = process.argv.slice(2);

const sleeper = `sleep ${LIFE_SECONDS}`;
const forker = `at=0; while [ $at -lt ${LIFE_SECONDS * 20} ]; do sleep 0.05; at=$((at + 1)); done`;
for (let at = 0; at < SLEEPERS; at += 1) {
  // Every second process leads its own session. `& wait` keeps the shell as a parent in between.
  spawn('sh', ['-c', `${sleeper} & wait`], { stdio: 'ignore', detached: at % 2 === 1 });
}
for (let at = 0; at < FORKERS; at += 1) {
  spawn('sh', ['-c', forker], { stdio: 'ignore', detached: at % 2 === 1 });
}
// Its parent ends at once, so it can be found only by its mark.
spawn('sh', ['-c', `setsid ${sleeper} &`], { stdio: 'ignore', detached: true });

let seen = '';
let step = 0;
const timer = setInterval(() => {
  step += 1;
  const inputs = inputsFile === '' ? '' : readFileSync(inputsFile, 'utf8');
  if (inputs !== seen) {
    seen = inputs;
    console.log(`inputs ${inputs.trim()}`);
  } else if (step % 4 === 0) {
    console.log(`step ${step}`);
  }
  if (step * STEP_MS > LIFE_SECONDS * 1000) clearInterval(timer);
}, STEP_MS);
