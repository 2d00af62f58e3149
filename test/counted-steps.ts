import { startCounting } from './count-steps.ts';

/** For test files with `expectLinear`: before they import what they test. */
startCounting();
