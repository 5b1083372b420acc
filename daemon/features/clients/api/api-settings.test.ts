import { describe, expect, it } from 'vitest';
import { apiSettings } from './api-settings.js';

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
