import type { Desk } from './scene.ts';

interface OneDesk {
  /** The name of the file, without its ending. */
  story: string;
  /** The beginning of a title, where the rest of the file is on both desks. */
  test?: string;
  desk: Desk;
  because: string;
}

/** Stories that only one desk has. All others are on both, which `desks.test.ts` checks. */
export const ONE_DESK: readonly OneDesk[] = [
  {
    story: 'story',
    desk: 'App',
    because:
      'the one story with real processes alone, the bundle among them; `no-server` is the other desk’s',
  },
  {
    story: 'no-server',
    desk: 'Actions',
    because: 'the one story with real processes alone, the bundle among them; `story` is the App’s',
  },
  {
    story: 'stores',
    desk: 'App',
    because: 'databases and several servers; the state on a ref is in every story of the other desk',
  },
  {
    story: 'live',
    test: 'P-2, P-7: an agent that is held gets its answer',
    desk: 'App',
    because: 'an answer reaches a running agent only where a server can be asked',
  },
  {
    story: 'live',
    test: 'N-3: a question ends its job at once',
    desk: 'Actions',
    because: 'the same settings, where nothing holds a job',
  },
  {
    story: 'questions',
    test: 'E-12: nobody answers',
    desk: 'App',
    because: 'reminders on time need a process that stays; `no-server-daily` has those of the other desk',
  },
  {
    story: 'refusals',
    test: 'C-2: without the workflow',
    desk: 'App',
    because: 'without the workflow there is no other desk to say so',
  },
  {
    story: 'refusals',
    test: 'C-2: Actions that are switched off',
    desk: 'App',
    because: 'without Actions there is no other desk to say so',
  },
  {
    story: 'no-server-daily',
    desk: 'Actions',
    because: 'the second workflow file, which the App does not need',
  },
  {
    story: 'no-server-races',
    desk: 'Actions',
    because: 'runs that GitHub drops, the state on a ref, artifacts; `faults` has what both desks survive',
  },
  {
    story: 'no-server-words',
    desk: 'Actions',
    because: 'what comments offer and say there, and how they are known as its own',
  },
];
