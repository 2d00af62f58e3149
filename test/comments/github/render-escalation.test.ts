import { describe, expect, it } from 'vitest';
import { renderEscalation } from '../../../src/comments/github/render-escalation.ts';
import { QUESTIONS } from '../questions.ts';
import { WHERE, waiting } from '../story.ts';

describe('questions as GitHub comments', () => {
  it.each(Object.entries(QUESTIONS))('%s looks as its golden file', async (name, asked) => {
    const markdown = renderEscalation(waiting(asked), asked, WHERE);
    await expect(`${markdown}\n`).toMatchFileSnapshot(
      `../../golden/comments/${name.replaceAll('_', '-')}.md`,
    );
  });
});
