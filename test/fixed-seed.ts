import fc from 'fast-check';

// The same cases on every machine: a landing must not depend on luck. Other cases: FC_SEED=$RANDOM npm test
fc.configureGlobal({ seed: Number(process.env.FC_SEED ?? 20_261_116) });
