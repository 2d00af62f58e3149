import type { EndWords } from './end-reason.ts';

/** The types and messages of Anthropic's API. */
export const ANTHROPIC_WORDS: EndWords = {
  quota:
    /^(?:(?:your )?credit balance|billing_error|you have reached your specified API usage limits|payment required)/i,
  auth: /^(?:invalid (?:x-)?api[ -]?key|authentication_error|permission_error|invalid bearer token|(?:your )?(?:oauth|access|authentication) token)/i,
  context: /^(?:prompt is too long|input is too long|input length and `max_tokens` exceed)/i,
  rate_limit:
    /^(?:rate_limit_error|this request would exceed (?:your|the) (?:account|organization)'s rate limit|number of \w+ tokens has exceeded your (?:per-minute|daily) rate limit)/i,
};

/** The types, codes and messages of OpenAI's API, which many other providers speak. */
export const OPENAI_WORDS: EndWords = {
  quota:
    /^(?:insufficient[ _](?:quota|credits?|funds)|you(?:'ve| have)? exceeded your current quota|billing[_ ](?:hard|not)|payment required|out of credits)/i,
  auth: /^(?:incorrect api key|invalid_api_key|invalid api key|missing bearer|unauthorized|forbidden|you didn't provide an api key)/i,
  context:
    /^(?:context_length_exceeded|this model's maximum context|maximum context|your input exceeds the context|the input \(\d+ tokens\) .{0,40}exceeds the|too many tokens)/i,
  rate_limit: /^(?:rate_limit_exceeded|rate limit (?:reached|exceeded)|too many requests)/i,
};

/** The messages of Google's API. */
export const GOOGLE_WORDS: EndWords = {
  quota: /^(?:you exceeded your current quota|quota exceeded)/i,
  auth: /^(?:api key (?:not valid|expired|not found)|permission denied|request had invalid authentication|the caller does not have permission)/i,
  context: /^the input token count .{0,40}exceeds the/i,
  rate_limit: /^resource (?:has been )?exhausted/i,
};
