import { describe, expect, it } from 'vitest';
import { apiSettings, isOnThisMachine, requireEndpoint } from './api-settings.js';

const ollama = {
  MESHD_API_PROVIDER: 'openai-compatible',
  MESHD_API_BASE_URL: 'http://127.0.0.1:11434/v1',
  MESHD_API_MODEL: 'qwen3:8b',
};
const claude = { MESHD_API_PROVIDER: 'anthropic', MESHD_API_MODEL: 'claude-opus-4-8', ANTHROPIC_API_KEY: 'key-one' };

describe('apiSettings', () => {
  it('accepts an endpoint on this machine without a key', () => {
    expect(apiSettings(ollama)).toEqual({
      settings: { provider: 'openai-compatible', baseUrl: 'http://127.0.0.1:11434/v1', models: ['qwen3:8b'] },
    });
  });

  it('uses the default Anthropic URL with the Anthropic key', () => {
    expect(apiSettings(claude)).toEqual({
      settings: {
        provider: 'anthropic',
        baseUrl: 'https://api.anthropic.com/v1',
        models: ['claude-opus-4-8'],
        apiKey: 'key-one',
      },
    });
  });

  it('prefers the key of the key file, without its line end', () => {
    expect(apiSettings(claude, 'key-two\n')).toMatchObject({ settings: { apiKey: 'key-two' } });
  });

  it('uses OPENAI_API_KEY only for endpoints on other machines', () => {
    const environment = { ...ollama, OPENAI_API_KEY: 'key-three' };
    expect(apiSettings(environment)).not.toMatchObject({ settings: { apiKey: 'key-three' } });
    expect(apiSettings({ ...environment, MESHD_API_BASE_URL: 'https://models.example/v1' })).toMatchObject({
      settings: { apiKey: 'key-three' },
    });
  });

  it('accepts several models, strongest first, without duplicates', () => {
    expect(apiSettings({ ...ollama, MESHD_API_MODEL: ' a, b,,a ' })).toMatchObject({
      settings: { models: ['a', 'b'] },
    });
  });

  it.each([
    ['http://127.0.0.1:11434', 'http://127.0.0.1:11434/v1'],
    ['http://localhost:1234/v1/', 'http://localhost:1234/v1'],
    ['http://[::1]:8000/v1', 'http://[::1]:8000/v1'],
    ['http://127.1:8000', 'http://127.0.0.1:8000/v1'],
    ['https://models.example/openai/v1', 'https://models.example/openai/v1'],
  ])('normalizes the URL %s to %s', (address, baseUrl) => {
    expect(apiSettings({ ...ollama, MESHD_API_BASE_URL: address })).toMatchObject({ settings: { baseUrl } });
  });

  it.each<[string, Record<string, string | undefined>, string | undefined, RegExp]>([
    ['no provider', {}, undefined, /MESHD_API_PROVIDER to `anthropic` or `openai-compatible`/],
    ['a key alone', { ANTHROPIC_API_KEY: 'key' }, 'key', /MESHD_API_PROVIDER/],
    ['an unknown provider', { ...ollama, MESHD_API_PROVIDER: 'openai' }, undefined, /MESHD_API_PROVIDER/],
    ['no address', { ...ollama, MESHD_API_BASE_URL: ' ' }, undefined, /MESHD_API_BASE_URL.*11434/],
    ['no model', { ...ollama, MESHD_API_MODEL: ',' }, undefined, /MESHD_API_MODEL/],
    ['no key for Anthropic', { ...claude, ANTHROPIC_API_KEY: '' }, undefined, /api-key.*ANTHROPIC_API_KEY/],
    ['plain http elsewhere', { ...ollama, MESHD_API_BASE_URL: 'http://10.0.0.7/v1' }, undefined, /must be https/],
    [
      'plain http to a name that only looks like here',
      { ...ollama, MESHD_API_BASE_URL: 'http://127.0.0.1.evil.example/v1' },
      undefined,
      /must be https/,
    ],
    [
      'plain http to every interface',
      { ...ollama, MESHD_API_BASE_URL: 'http://0.0.0.0:11434/v1' },
      undefined,
      /must be https/,
    ],
    ['another scheme', { ...ollama, MESHD_API_BASE_URL: 'file:///etc/passwd' }, undefined, /no http\(s\) address/],
    ['no address at all', { ...ollama, MESHD_API_BASE_URL: 'ollama' }, undefined, /no http\(s\) address/],
    [
      'a password in the address',
      { ...ollama, MESHD_API_BASE_URL: 'https://a:b@models.example/v1' },
      undefined,
      /without user, password/,
    ],
    [
      'a query in the address',
      { ...ollama, MESHD_API_BASE_URL: 'https://models.example/v1?key=1' },
      undefined,
      /without user, password, query/,
    ],
    ['a key of two lines', claude, 'key\nsecond-line', /one line/],
  ])('returns a problem with the setting to change, given %s', (_what, environment, keyFile, words) => {
    const found = apiSettings(environment, keyFile);
    expect(found).toEqual({ problem: expect.stringMatching(words) });
    expect(JSON.stringify(found)).not.toContain('second-line');
  });
});

describe('the problem of a setting', () => {
  const PROVIDER =
    'Set MESHD_API_PROVIDER to `anthropic` or `openai-compatible` in the environment that starts meshd, with ' +
    'MESHD_API_MODEL, and MESHD_API_BASE_URL for the latter.';
  const ADDRESS =
    'Set MESHD_API_BASE_URL to the endpoint, for example http://127.0.0.1:11434/v1 for Ollama or ' +
    'http://127.0.0.1:1234/v1 for LM Studio.';
  const MODEL =
    'Set MESHD_API_MODEL to the name of a model at the endpoint (several with commas, the strongest first).';
  const ANTHROPIC_KEY =
    'Put an Anthropic key into `.mesh/credentials/api-key` or into ANTHROPIC_API_KEY of the environment that starts ' +
    'meshd.';
  const KEY = 'The API key must be one line without spaces: check `.mesh/credentials/api-key`.';
  const PARTS =
    'MESHD_API_BASE_URL must be without user, password, query and fragment: the key has a place of its own.';
  const at = (address: string) => ({ ...ollama, MESHD_API_BASE_URL: address });

  it.each<[string, Record<string, string | undefined>, string | undefined]>([
    [PROVIDER, {}, undefined],
    [ADDRESS, { ...ollama, MESHD_API_BASE_URL: undefined }, undefined],
    [MODEL, { ...ollama, MESHD_API_MODEL: undefined }, undefined],
    [MODEL, { ...ollama, MESHD_API_MODEL: ' , ' }, undefined],
    [
      'A name in MESHD_API_MODEL is longer than 200 characters.',
      { ...ollama, MESHD_API_MODEL: `a,${'b'.repeat(201)}` },
      undefined,
    ],
    [ANTHROPIC_KEY, { ...claude, ANTHROPIC_API_KEY: undefined, OPENAI_API_KEY: 'k' }, ' '],
    [KEY, claude, 'two words'],
    [KEY, claude, 'schlüssel'],
    [KEY, claude, 'k'.repeat(4_097)],
    [KEY, ollama, 'a\u007f'],
    [`MESHD_API_BASE_URL is no http(s) address. ${ADDRESS}`, at('ftp://models.example'), undefined],
    [PARTS, at('https://me@models.example/v1'), undefined],
    [PARTS, at('https://:word@models.example/v1'), undefined],
    [PARTS, at('https://models.example/v1?a'), undefined],
    [PARTS, at('https://models.example/v1#a'), undefined],
    [
      'MESHD_API_BASE_URL must be https: plain http is for endpoints on this machine (127.0.0.1, ::1, localhost) only.',
      at('http://models.example/v1'),
      undefined,
    ],
  ])('is told in full: %#', (problem, environment, keyFile) => {
    expect(apiSettings(environment, keyFile)).toEqual({ problem });
  });

  it('is none for the longest name and the longest key, and for settings with blanks around', () => {
    const model = 'm'.repeat(200);
    const key = `!${'k'.repeat(4_094)}~`;
    const environment = { ...claude, MESHD_API_PROVIDER: ' anthropic ', MESHD_API_MODEL: ` ${model} ` };
    expect(apiSettings(environment, ` ${key}\n`)).toEqual({
      settings: { provider: 'anthropic', baseUrl: 'https://api.anthropic.com/v1', models: [model], apiKey: key },
    });
  });

  it('is none for a key of a file at an endpoint on this machine, nor for an empty file', () => {
    expect(apiSettings(ollama, 'key-two')).toMatchObject({ settings: { apiKey: 'key-two' } });
    expect(apiSettings(claude, ' \n')).toMatchObject({ settings: { apiKey: 'key-one' } });
    const elsewhere = { ...claude, MESHD_API_BASE_URL: 'https://gateway.example//' };
    expect(apiSettings(elsewhere)).toMatchObject({ settings: { baseUrl: 'https://gateway.example/v1' } });
  });
});

describe('an endpoint that the operator enters', () => {
  const enter = (address: string | undefined, apiKey: string | undefined, provider = 'openai-compatible' as const) =>
    requireEndpoint({ provider, address, apiKey });

  it('is its address, with a usual one for Anthropic', () => {
    expect(enter(' https://models.example/v1/ ', undefined)).toEqual({ baseUrl: 'https://models.example/v1' });
    const claudes = (address: string | undefined) => requireEndpoint({ provider: 'anthropic', address, apiKey: 'k' });
    for (const address of [undefined, '', ' '])
      expect(claudes(address)).toEqual({ baseUrl: 'https://api.anthropic.com/v1' });
    expect(claudes('https://gateway.example')).toEqual({ baseUrl: 'https://gateway.example/v1' });
  });

  it.each([
    [undefined, undefined, 'base_url', 'The address of the endpoint is missing.'],
    [' ', 'k', 'base_url', 'The address of the endpoint is missing.'],
    ['models', 'k', 'base_url', 'The address is no http(s) address. An example: https://api.example.com/v1.'],
    [
      'https://models.example?k=1',
      undefined,
      'base_url',
      'The address must be without user, password, query and fragment: the key has a place of its own.',
    ],
    [
      'http://models.example',
      undefined,
      'base_url',
      'The address must be https: plain http is for endpoints on this machine (127.0.0.1, ::1, localhost) only.',
    ],
    ['https://models.example', 'two words', 'api_key', 'The key must be one line without spaces.'],
    ['https://models.example', '', 'api_key', 'The key must be one line without spaces.'],
  ])('is refused by its field: %j with the key %j', (address, apiKey, path, message) => {
    expect(() => enter(address, apiKey)).toThrow(
      expect.objectContaining({ code: 'bad_request', message, details: { path } }),
    );
  });

  it('of Anthropic needs a key', () => {
    expect(() => requireEndpoint({ provider: 'anthropic', address: undefined, apiKey: undefined })).toThrow(
      expect.objectContaining({ message: 'Anthropic needs a key.', details: { path: 'api_key' } }),
    );
  });
});

it.each([
  ['http://localhost:1/v1', true],
  ['http://[::1]:1/v1', true],
  ['http://127.0.0.1/v1', true],
  ['http://127.255.10.254/v1', true],
  ['http://128.0.0.1/v1', false],
  ['http://10.127.0.1/v1', false],
  ['http://[::2]/v1', false],
  ['http://localhost.example/v1', false],
  ['http://127.0.0.1.example/v1', false],
  ['http://a127.0.0.1.example/v1', false],
])('%s is on this machine: %j', (address, isHere) => {
  expect(isOnThisMachine(address)).toBe(isHere);
});
