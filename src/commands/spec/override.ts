import { textCommand } from './text-command.ts';

export const overrideCommand = textCommand({
  name: 'override',
  usage: '/override <text>',
  summary: 'stop what it does, do this instead',
  example: '/override Leave the webhook out and finish the payment form',
});
