import { describe, expect, it } from 'vitest';
import type { ApiSettings } from './api-settings.js';
import { ENDED_EARLY, failureMessage } from './failure.js';
import { TurnError } from './turn-failure.js';

const KEY = 'the-key-of-mine';
const settings: ApiSettings = {
  provider: 'openai-compatible',
  baseUrl: 'https://models.example:8443/v1',
  models: ['m'],
  apiKey: KEY,
};
const { apiKey: _, ...unkeyed } = settings;
const local: ApiSettings = { ...settings, baseUrl: 'http://127.0.0.1:11434/v1' };
const anthropic: ApiSettings = { ...settings, provider: 'anthropic' };
const AT = 'The endpoint at models.example:8443';

const said = (error: unknown, given = settings) => failureMessage(error, given, 'm');
const refused = (statusCode: number, body: unknown = '', given = settings) =>
  said(
    Object.assign(new Error('refused'), {
      statusCode,
      responseBody: typeof body === 'string' ? body : JSON.stringify(body),
    }),
    given,
  );
const coded = (code: string, given = settings) => said(Object.assign(new Error('no'), { code }), given);

describe('the reason of a turn that failed', () => {
  it('is its own where it has one, however deep it lies', () => {
    const own = new TurnError('The turn was called off.');
    expect(said(new Error('outer', { cause: new Error('inner', { cause: own }) }))).toBe('The turn was called off.');
    expect(said(Object.assign(new Error('outer'), { lastError: own, cause: new Error('other') }))).toBe(own.message);
  });

  it('is looked for in eight causes at most, and not in a circle for ever', () => {
    const nested = (depth: number): unknown =>
      depth === 0 ? new TurnError('Found.') : new Error('outer', { cause: nested(depth - 1) });
    expect([said(nested(7)), said(nested(8))]).toEqual(['Found.', 'The turn on `m` failed: outer']);
    const circle = new Error('round');
    circle.cause = circle;
    expect(said(circle)).toBe('The turn on `m` failed: round');
  });

  it.each([
    [new Error(' a\n\tb '), 'The turn on `m` failed:  a b '],
    [new Error(''), 'The turn on `m` failed: no reason was given.'],
    [undefined, 'The turn on `m` failed: no reason was given.'],
    [null, 'The turn on `m` failed: no reason was given.'],
    [new Error('x'.repeat(301)), `The turn on \`m\` failed: ${'x'.repeat(300)}`],
  ])('is told as it is where nothing else is known: %#', (error, words) => {
    expect(said(error)).toBe(words);
  });

  it('never holds the key, nor what looks like one', () => {
    expect(said(new Error(`${KEY}, ${KEY} and sk-ant-1234567890abcdef`))).toBe(
      'The turn on `m` failed: [redacted], [redacted] and [redacted]',
    );
    expect(said(new Error('plain'), unkeyed)).toBe('The turn on `m` failed: plain');
  });

  it.each([
    ['AI_NoOutputGeneratedError', ENDED_EARLY],
    [
      'AI_ToolChoiceViolationError',
      "The model went on using tools in its last step and gave no answer: raise the member's limits.turns, ask for " +
        'less, or choose another model.',
    ],
  ])('is known by the name %s', (name, words) => {
    expect(said(Object.assign(new Error('x'), { name }))).toBe(words);
    expect(said(new Error('outer', { cause: Object.assign(new Error('x'), { name }) }))).toBe(words);
  });

  it('is an answer that is not whole, where its words say so', () => {
    expect(ENDED_EARLY).toBe(
      'The endpoint ended the answer before it was whole: ask again, and if that happens each time, check ' +
        'MESHD_API_PROVIDER and MESHD_API_BASE_URL.',
    );
    expect(said(new Error('The stream ended without a finish reason.'))).toBe(ENDED_EARLY);
  });

  const DIALECT = `${AT} sent something that is not a stream of OpenAI-compatible chat completions: check`;
  it.each([
    Object.assign(new Error('x'), { name: 'AI_JSONParseError' }),
    Object.assign(new Error('x'), { name: 'AI_TypeValidationError' }),
    Object.assign(new Error('x'), { name: 'AI_InvalidResponseDataError' }),
    new Error('JSON parsing failed: text'),
    new Error('Type validation failed: text'),
  ])('is another protocol than expected: %s', (error) => {
    expect(said(error)).toBe(`${DIALECT} MESHD_API_PROVIDER and MESHD_API_BASE_URL.`);
    expect(said(error, { ...anthropic, isSaved: true })).toBe(
      `${AT} sent something that is not a stream of the Anthropic Messages API: check the endpoint in \`meshd clients\`.`,
    );
    expect(said(new Error('It says: JSON parsing failed'))).toContain('The turn on `m` failed');
  });
});

describe('a refusal of the endpoint', () => {
  it.each([401, 403])('for want of a valid key (%i) names where the key goes', (status) => {
    expect(refused(status)).toBe(
      `${AT} does not take the key (${status}): put a valid one into \`.mesh/credentials/api-key\` or ` +
        'OPENAI_API_KEY, then start meshd again.',
    );
    expect(refused(status, '', unkeyed)).toContain(`${AT} wants a key (${status}): put a valid one`);
    expect(refused(status, '', anthropic)).toContain('or ANTHROPIC_API_KEY, then');
    expect(refused(status, '', { ...settings, isSaved: true })).toBe(
      `${AT} does not take the key (${status}): enter a valid one with \`meshd clients\` or on the page Connect a model.`,
    );
  });

  it('of an unknown model names both settings', () => {
    expect(refused(404)).toBe(
      `${AT} knows no model \`m\` (404): set the member's model or MESHD_API_MODEL to one it has, or correct ` +
        'MESHD_API_BASE_URL.',
    );
    expect(refused(404, '', { ...settings, isSaved: true })).toBe(
      `${AT} knows no model \`m\` (404): set the member's model or the model in \`meshd clients\` to one it has, or ` +
        'correct the address in `meshd clients`.',
    );
  });

  it.each([
    [429, `${AT} takes no more requests for now (429): wait, or raise the limit of its account.`],
    [500, `${AT} failed (500): ask again later.`],
    [503, `${AT} failed (503): ask again later.`],
    [499, `${AT} refused the request (499).`],
    [400, `${AT} refused the request (400).`],
    [413, 'The conversation is too long for the model `m`: begin a new one, or choose a model with more room.'],
  ])('with status %i says what to do', (status, words) => {
    expect(refused(status)).toBe(words);
    expect(refused(status, { error: { message: 'Busy.' } })).toBe(`${words} It said: Busy.`);
  });

  const TOOLS =
    'The model `m` cannot use tools, which the `api` client needs to read the project: choose one that can.';
  const EFFORT = "The model `m` does not take this effort: set the member's effort to `default`.";
  const LONG = 'The conversation is too long for the model `m`: begin a new one, or choose a model with more room.';
  const CUT =
    'The endpoint gives the model `m` too little context for this turn, so that the question was cut off: raise it ' +
    '(for Ollama: `OLLAMA_CONTEXT_LENGTH=64000 ollama serve`, or an alias of the model with `PARAMETER num_ctx 64000`).';

  it.each([
    [400, 'm does not support tools', TOOLS],
    [400, 'It supports tools not.', TOOLS],
    [400, 'Supported tools: none', TOOLS],
    [400, 'not supporting tools', TOOLS],
    [500, 'Tool use is not there', TOOLS],
    [400, 'tool calling is not enabled', TOOLS],
    [400, 'reasoning_effort is unknown', EFFORT],
    [400, 'm cannot think', EFFORT],
    [400, 'no Thinking here', EFFORT],
    [400, 'I thinks so', `${AT} refused the request (400).`],
    [400, 'effort of reasoning_content', `${AT} refused the request (400).`],
    [422, 'effort', `${AT} refused the request (422).`],
    [400, 'context length exceeded', LONG],
    [400, 'The Context Window is full', LONG],
    [400, 'context size', LONG],
    [422, 'prompt is too long', LONG],
    [400, 'maximum context of 8', LONG],
    [400, 'context of 8', `${AT} refused the request (400).`],
    [500, 'No user query found in messages', CUT],
    [400, 'no user query found', CUT],
  ])('of status %i that says %j is understood', (status, message, words) => {
    expect(refused(status, { error: { message } })).toBe(`${words} It said: ${message}`);
  });

  it.each([
    [{ error: { message: 'One.' }, message: 'Two.', detail: 'Three.' }, 'One.'],
    [{ error: 'One.', message: 'Two.' }, 'One.'],
    [{ error: {}, message: 'Two.', detail: 'Three.' }, 'Two.'],
    [{ error: null, message: 'Two.' }, 'Two.'],
    [{ detail: 'Three.' }, 'Three.'],
    [[{ error: { message: 'One.' } }, { message: 'Two.' }], 'One.'],
    [{ message: { detail: ['x'] } }, '{"detail":["x"]}'],
    ['<html><title>Bad</title>\n  <b>gateway</b></html>', 'Bad gateway'],
    ['a < b', 'a < b'],
    [`"${'x'.repeat(400)}`, `"${'x'.repeat(299)}`],
  ])('is quoted in its own words: %#', (body, words) => {
    expect(refused(418, body)).toBe(`${AT} refused the request (418). It said: ${words}`);
  });

  it.each([[{}], [{ error: {} }], ['[]'], ['null'], [' ']])('that says nothing is not quoted: %j', (body) => {
    expect(refused(418, body)).toMatch(/^The endpoint at models\.example:8443 refused the request \(418\)\./);
  });

  it('is the first that has a status', () => {
    const inner = Object.assign(new Error('x'), { statusCode: 429 });
    const outer = Object.assign(new Error('y'), { statusCode: 'none', lastError: inner });
    expect(said(outer)).toContain('(429)');
    expect(said(Object.assign(new Error('odd'), { statusCode: 399 }))).toBe('The turn on `m` failed: odd');
  });
});

describe('an endpoint that is not reached', () => {
  const ORIGIN = 'https://models.example:8443';

  it.each([
    ['ECONNREFUSED', `Nothing answers at ${ORIGIN}: check that it is up, or correct MESHD_API_BASE_URL.`],
    ['ENOTFOUND', `The name of ${ORIGIN} cannot be found: check the network and MESHD_API_BASE_URL.`],
    ['EAI_AGAIN', `The name of ${ORIGIN} cannot be found: check the network and MESHD_API_BASE_URL.`],
    ['CERT_HAS_EXPIRED', `The certificate of ${ORIGIN} is not trusted (CERT_HAS_EXPIRED).`],
    ['ERR_SSL_WRONG', `The certificate of ${ORIGIN} is not trusted (ERR_SSL_WRONG).`],
    ['ERR_TLS_HANDSHAKE', `The certificate of ${ORIGIN} is not trusted (ERR_TLS_HANDSHAKE).`],
    ['DEPTH_ZERO_SELF_SIGNED', `The certificate of ${ORIGIN} is not trusted (DEPTH_ZERO_SELF_SIGNED).`],
    ['UNABLE_TO_VERIFY', `The certificate of ${ORIGIN} is not trusted (UNABLE_TO_VERIFY).`],
    ['ETIMEDOUT', `${AT} did not answer in time (ETIMEDOUT).`],
    ['UND_ERR_HEADERS_TIMEOUT', `${AT} did not answer in time (UND_ERR_HEADERS_TIMEOUT).`],
    ['ECONNRESET', `The connection to ${ORIGIN} was cut (ECONNRESET): ask again.`],
  ])('because of %s says what to do', (code, words) => {
    expect(coded(code)).toBe(words);
  });

  it('on this machine is a program to start, and what was saved is named', () => {
    expect(coded('ECONNREFUSED', local)).toBe(
      'Nothing answers at http://127.0.0.1:11434: start its program (for Ollama: `ollama serve`), or correct ' +
        'MESHD_API_BASE_URL.',
    );
    expect(coded('ENOTFOUND', { ...settings, isSaved: true })).toBe(
      `The name of ${ORIGIN} cannot be found: check the network and the address in \`meshd clients\`.`,
    );
  });

  it('is known by the code of a cause', () => {
    const cause = Object.assign(new Error('x'), { code: 'ECONNRESET' });
    expect(said(Object.assign(new Error('y', { cause }), { code: 7 }))).toContain('was cut (ECONNRESET)');
  });
});

describe('an error within the stream', () => {
  it.each([
    [{ type: 'overloaded_error', message: 'Busy.' }, `${AT} is overloaded: ask again later. It said: Busy.`],
    [
      { type: 'rate_limit_error', message: 'Slow down.' },
      `${AT} takes no more requests for now: wait, or raise the limit of its account. It said: Slow down.`,
    ],
    [{ type: 'api_error', message: ' It\n broke. ' }, `${AT} broke the answer off. It said: It broke.`],
    [{ message: 'x'.repeat(301) }, `${AT} broke the answer off. It said: ${'x'.repeat(300)}`],
    ['Words.', `${AT} broke the answer off. It said: Words.`],
    [new Error('outer', { cause: 'Words.' }), `${AT} broke the answer off. It said: Words.`],
    [{ type: 7, message: '' }, 'The turn on `m` failed: no reason was given.'],
  ])('is told with its own words: %#', (error, words) => {
    expect(said(error)).toBe(words);
  });
});
