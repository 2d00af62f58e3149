import { installedCli } from './installed-cli.ts';
import { anthropicMessages } from './model-servers/anthropic-messages.ts';
import { servingAnswers } from './run-case.ts';
import { testRuns } from './run-stories.ts';

const programs = installedCli('claude');

testRuns({
  name: 'claude',
  serve: servingAnswers(anthropicMessages),
  environment: ({ url }) => ({
    PATH: `${programs}:${process.env.PATH}`,
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'scripted',
  }),
  badRequest: { status: 400, type: 'invalid_request_error', message: 'messages: something is wrong' },
  badKey: { status: 401, type: 'authentication_error', message: 'invalid x-api-key' },
  badKeyTold: 'HTTP 401 authentication_failed',
  tokens: { input: 1000, output: 50 },
  tellsCost: true,
});
