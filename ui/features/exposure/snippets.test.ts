import { describe, expect, it } from 'vitest';
import { SNIPPET_KINDS, shellQuoted, snippet, tokenVariable } from './snippets.js';

const door = { origin: 'http://127.0.0.1:4747', member: 'api-developer', question: `What's "open" to $USER?` };
const token = 'mk_abcdefghijklmnopqrstuvwxyz0123456789_-ABCDE';

describe('snippets', () => {
  it('reads the token from an environment variable, so that a screenshot is safe', () => {
    expect(tokenVariable('api-developer')).toBe('API_DEVELOPER_TOKEN');
    for (const kind of SNIPPET_KINDS) expect(snippet(kind, door)).not.toContain('mk_');
    expect(snippet('curl', door)).toContain('Bearer $API_DEVELOPER_TOKEN');
    expect(snippet('typescript', door)).toContain('process.env.API_DEVELOPER_TOKEN');
    expect(snippet('python', door)).toContain('os.environ["API_DEVELOPER_TOKEN"]');
  });

  it('carries the token when it is asked to, except in the card, which needs none', () => {
    for (const kind of ['curl', 'typescript', 'python'] as const) expect(snippet(kind, door, token)).toContain(token);
    expect(snippet('card', door, token)).not.toContain(token);
  });

  it('asks and then collects by the contract', () => {
    const text = snippet('curl', door);
    expect(text).toContain('-X POST http://127.0.0.1:4747/team/api-developer/ask');
    expect(text).toContain('jq -r .request_id');
    expect(text).toContain('/team/requests/$RID?wait=60');
  });

  it('gives the question to the shell literally', () => {
    expect(shellQuoted("it's")).toBe(`'it'\\''s'`);
    expect(snippet('curl', door)).toContain(`-d '{"text":"What'\\''s \\"open\\" to $USER?"}'`);
  });
});
