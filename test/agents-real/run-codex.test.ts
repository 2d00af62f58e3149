import { dirname } from 'node:path';
import { installedCli } from './installed-cli.ts';
import { openaiResponses } from './model-servers/openai-responses.ts';
import { servingAnswers } from './run-case.ts';
import { testRuns } from './run-stories.ts';

const programs = installedCli('codex');

testRuns({
  name: 'codex',
  serve: servingAnswers(openaiResponses),
  environment: ({ url }) => ({
    PATH: `${dirname(process.execPath)}:${programs}:${process.env.PATH}`,
    OPENAI_BASE_URL: `${url}/v1`,
    OPENAI_API_KEY: 'scripted',
  }),
  badRequest: { status: 400, type: 'invalid_request_error', message: 'something is wrong' },
  badKey: { status: 401, type: 'invalid_api_key', message: 'Incorrect API key provided: scripted' },
  badKeyTold: 'Incorrect API key provided',
  tokens: { input: 1000, output: 50 },
  tellsCost: false,
});
