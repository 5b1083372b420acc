import { describe, expect, it } from 'vitest';
import type { ClientChoice } from '../../../contract/clients.js';
import {
  type ClientSettings,
  NO_SETTINGS,
  ollamaAddress,
  parseSettings,
  toChosenClient,
  withChoice,
  withUse,
} from './client-settings.js';

const endpoint = { provider: 'openai-compatible', base_url: 'https://a.example/v1', model: 'm', api_key: 'k' } as const;

describe('the saved settings', () => {
  it.each<[object]>([
    [{ named_only: [] }],
    [{ named_only: ['claude-code', 'acp', 'api'], auto: 'acp', acp_program: 'gemini' }],
    [{ named_only: [], endpoint }],
    [{ named_only: [], endpoint: { provider: 'anthropic', base_url: 'https://a.example', model: 'm' } }],
    [{ named_only: [], endpoint: { ...endpoint, model: 'm'.repeat(200), api_key: 'k'.repeat(4_096) } }],
    [{ named_only: [], endpoint: { ...endpoint, base_url: 'u'.repeat(2_000) } }],
  ])('are read as they are: %#', (content) => {
    expect(parseSettings(content as Record<string, unknown>)).toEqual(content);
  });

  it('are none where there is no file', () => {
    expect(parseSettings(null)).toEqual({ named_only: [] });
  });

  it.each<[object]>([
    [{}],
    [{ named_only: 'api' }],
    [{ named_only: ['builtin'] }],
    [{ named_only: [], auto: 'auto' }],
    [{ named_only: [], acp_program: '/bin/sh' }],
    [{ named_only: [], more: 1 }],
    [{ named_only: [], endpoint: 1 }],
    [{ named_only: [], endpoint: {} }],
    [{ named_only: [], endpoint: { ...endpoint, provider: 'openai' } }],
    [{ named_only: [], endpoint: { ...endpoint, base_url: undefined } }],
    [{ named_only: [], endpoint: { ...endpoint, base_url: 'u'.repeat(2_001) } }],
    [{ named_only: [], endpoint: { ...endpoint, model: '' } }],
    [{ named_only: [], endpoint: { ...endpoint, model: 'm'.repeat(201) } }],
    [{ named_only: [], endpoint: { ...endpoint, api_key: '' } }],
    [{ named_only: [], endpoint: { ...endpoint, api_key: 'k'.repeat(4_097) } }],
  ])('that are damaged are refused without a quote: %#', (content) => {
    expect(() => parseSettings(content as Record<string, unknown>)).toThrow(
      expect.objectContaining({
        code: 'store_readonly',
        message: '.mesh/credentials/clients.json is damaged: mend it, or remove it.',
      }),
    );
  });
});

it.each<[ClientChoice, string]>([
  [{ way: 'program', program: 'claude' }, 'claude-code'],
  [{ way: 'program', program: 'claude-agent-acp' }, 'acp'],
  [{ way: 'program', program: 'gemini' }, 'acp'],
  [{ way: 'endpoint', program: 'claude' }, 'api'],
  [{ way: 'ollama' }, 'api'],
])('the choice %j runs on %s', (choice, client) => {
  expect(toChosenClient(choice)).toBe(client);
});

it('Ollama is on this machine, at its usual port or another', () => {
  expect([ollamaAddress(), ollamaAddress(1234)]).toEqual(['http://127.0.0.1:11434/v1', 'http://127.0.0.1:1234/v1']);
});

describe('a choice', () => {
  const before: ClientSettings = { named_only: ['acp'], auto: 'api', endpoint, acp_program: 'gemini' };

  it('of a program names it, and claude changes nothing', () => {
    expect(withChoice(before, { way: 'program', program: 'opencode' })).toEqual({ ...before, acp_program: 'opencode' });
    expect(withChoice(before, { way: 'program', program: 'claude' })).toEqual(before);
  });

  it('of Ollama has no key, whatever was saved or given', () => {
    const choice: ClientChoice = { way: 'ollama', model: ' llama3.2 ', port: 1234, api_key: 'k' };
    expect(withChoice(before, choice)).toEqual({
      ...before,
      endpoint: { provider: 'openai-compatible', base_url: 'http://127.0.0.1:1234/v1', model: 'llama3.2' },
    });
    expect(withChoice(NO_SETTINGS, { way: 'ollama', model: 'm' }).endpoint?.base_url).toBe('http://127.0.0.1:11434/v1');
  });

  it('of an endpoint has what was entered, without blanks around', () => {
    const choice: ClientChoice = {
      ...{ way: 'endpoint', provider: 'openai-compatible', base_url: ' https://b.example/v1/ ' },
      ...{ model: ' large ', api_key: ' key ' },
    };
    expect(withChoice(before, choice)).toEqual({
      ...before,
      endpoint: { provider: 'openai-compatible', base_url: 'https://b.example/v1', model: 'large', api_key: 'key' },
    });
  });

  it.each<[Partial<ClientChoice>, string | undefined]>([
    [{}, 'k'],
    [{ base_url: 'https://a.example/other' }, 'k'],
    [{ base_url: 'https://a.example:8443/v1' }, undefined],
    [{ base_url: 'https://b.example/v1' }, undefined],
    [{ base_url: 'https://b.example/v1', api_key: 'new' }, 'new'],
    [{ api_key: 'new' }, 'new'],
    [{ api_key: ' ' }, 'k'],
  ])('keeps the key for the same server only: %j', (more, api_key) => {
    const choice: ClientChoice = {
      way: 'endpoint',
      provider: 'openai-compatible',
      base_url: 'https://a.example/v1',
      model: 'm',
    };
    const { endpoint: kept } = withChoice(before, { ...choice, ...more });
    expect(kept?.api_key).toBe(api_key);
    expect('api_key' in (kept ?? {})).toBe(api_key !== undefined);
  });

  it('keeps no key for another protocol, and none that is not there', () => {
    const claudes: ClientChoice = {
      way: 'endpoint',
      provider: 'anthropic',
      base_url: 'https://a.example/v1',
      model: 'm',
    };
    expect(() => withChoice(before, claudes)).toThrow('Anthropic needs a key.');
    const { api_key: _, ...keyless } = endpoint;
    const choice: ClientChoice = { ...claudes, provider: 'openai-compatible' };
    expect(withChoice({ named_only: [], endpoint: keyless }, choice).endpoint).not.toHaveProperty('api_key');
    expect(withChoice(NO_SETTINGS, choice).endpoint).not.toHaveProperty('api_key');
  });

  it('keeps the key of Anthropic without an address, where it was for Anthropic itself', () => {
    const at = (base_url: string): ClientSettings => ({
      named_only: [],
      endpoint: { provider: 'anthropic', base_url, model: 'm', api_key: 'k' },
    });
    const choice: ClientChoice = { way: 'endpoint', provider: 'anthropic', model: 'm' };
    expect(withChoice(at('https://api.anthropic.com/v1'), choice).endpoint).toEqual({
      ...{ provider: 'anthropic', base_url: 'https://api.anthropic.com/v1', model: 'm', api_key: 'k' },
    });
    expect(() => withChoice(at('https://gateway.example/v1'), choice)).toThrow('Anthropic needs a key.');
  });

  it('with no address of an OpenAI-compatible endpoint is refused, whatever was kept', () => {
    expect(() => withChoice(before, { way: 'endpoint', provider: 'openai-compatible', model: 'm' })).toThrow(
      expect.objectContaining({ details: { path: 'base_url' } }),
    );
  });

  it.each<[ClientChoice, string, string]>([
    [{ way: 'program' }, 'program', 'Say which program: one of claude, gemini, opencode, claude-agent-acp, codex-acp.'],
    [{ way: 'ollama' }, 'model', 'Say which model the endpoint is to run.'],
    [{ way: 'endpoint', provider: 'anthropic', model: ' ' }, 'model', 'Say which model the endpoint is to run.'],
    [{ way: 'endpoint', model: 'm' }, 'provider', 'Say what the endpoint speaks: one of anthropic, openai-compatible.'],
    [
      { way: 'endpoint', provider: 'openai-compatible', model: 'm', base_url: 'no address' },
      'base_url',
      'The address is no http(s) address. An example: https://api.example.com/v1.',
    ],
  ])('that lacks something names the field: %j', (choice, path, message) => {
    expect(() => withChoice(before, choice)).toThrow(
      expect.objectContaining({ code: 'bad_request', message, details: { path } }),
    );
  });
});

describe('the use of a client', () => {
  it.each<[ClientSettings, boolean, ClientSettings]>([
    [{ named_only: [] }, true, { named_only: [], auto: 'api' }],
    [{ named_only: ['acp', 'api'], auto: 'acp' }, true, { named_only: ['acp'], auto: 'api' }],
    [{ named_only: [] }, false, { named_only: ['api'] }],
    [{ named_only: ['api', 'acp'], auto: 'api' }, false, { named_only: ['acp', 'api'] }],
    [{ named_only: [], auto: 'acp', endpoint }, false, { named_only: ['api'], auto: 'acp', endpoint }],
  ])('for all members or for one is kept: %#', (before, isForAll, after) => {
    expect(withUse(before, 'api', isForAll)).toEqual(after);
    expect(Object.keys(withUse(before, 'api', isForAll)).sort()).toEqual(Object.keys(after).sort());
  });
});
