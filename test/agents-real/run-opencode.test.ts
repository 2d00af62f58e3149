import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cliEnvironment } from './cli-programs.ts';
import { serveOpenAiChat } from './model-servers/openai-chat.ts';
import { servingTurns } from './run-case.ts';
import { testRuns } from './run-stories.ts';

const cli = cliEnvironment('opencode');

testRuns({
  name: 'opencode',
  serve: servingTurns(serveOpenAiChat, {
    write: ({ absolute }) => ({ name: 'write', input: { filePath: absolute, content: 'written\n' } }),
    run: (command) => ({ name: 'bash', input: { command, description: 'a command' } }),
  }),
  environment({ url }, { root }) {
    const scripted = {
      npm: '@ai-sdk/openai-compatible',
      options: { baseURL: `${url}/v1`, apiKey: 'scripted-key' },
      models: { scripted: { limit: { context: 100_000, output: 8_000 }, cost: { input: 3, output: 15 } } },
    };
    const config = {
      model: 'scripted/scripted',
      small_model: 'scripted/scripted',
      provider: { scripted },
    };
    const file = join(root, 'provider.json');
    writeFileSync(file, JSON.stringify(config));
    return { ...cli, OPENCODE_CONFIG: file };
  },
  badRequest: { status: 400, type: 'scripted', message: 'the request is bad' },
  badKey: { status: 401, type: 'scripted', message: 'Incorrect API key provided' },
  badKeyTold: 'Incorrect API key provided',
  tokens: { input: 1000, output: 50 },
  tellsCost: true,
});
