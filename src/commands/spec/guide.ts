import { textCommand } from './text-command.ts';

export const guideCommand = textCommand({
  name: 'guide',
  usage: '/guide <text>',
  summary: 'a hint; the agent keeps its approach',
  example: '/guide Look at how the cart rounds prices',
});
