import { startRun } from '../core/run-builder.ts';
import { leave, type World } from './desk-world.ts';

/** A labelled issue whose agent asks for a value, and whose job has ended. */
export async function askOnIssue(world: World): Promise<number> {
  const issue = await world.app.olivia.openIssue({ title: 'Make it', body: 'As said.' });
  world.events();
  await world.app.olivia.label(issue, 'autobuild');
  await world.desks();
  const { brief } = await world.brief(issue);
  const run = startRun({ run: brief.run, freshVerification: true, startMs: world.clock.ms });
  run
    .beginTurn()
    .askForHelp([{ key: 'colour', label: 'Colour' }])
    .park();
  await world.deliver(leave(run, 0));
  return issue;
}
