import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { CommandError, EXIT } from './exit-codes.js';
import { nameTypedOption } from './typed-option.js';

const find = () =>
  new Command('find')
    .argument('<query>', 'what the agent should do')
    .option('--max-price <usd>', 'only up to this price in US dollars')
    .option('--tag <word>', 'only with this tag')
    .option('--country <code>', 'only of this country, two letters');
const edit = () => new Command('edit').argument('<member>').option('--set <key=value>', 'change this key');
const refused = (path: string, message: string) => new CommandError(EXIT.usage, message, 'bad_request', { path });

describe('a rejection by the daemon', () => {
  it.each([
    ['filters.max_price_usd', '"filters.max_price_usd" must be at least 0.', '--max-price must be at least 0.'],
    ['filters.tags.0', '"filters.tags.0" must have at most 40 characters.', '--tag must have at most 40 characters.'],
    ['query', '"query" must have at most 400 characters.', '<query> must have at most 400 characters.'],
    [
      'filters.country',
      '"filters.country" must have the format ^[A-Z]{2}$.',
      '--country is not valid. It takes: only of this country, two letters.',
    ],
    [
      'agent_query',
      'hub: "agent_query" must have the format ^[a-z]+$.',
      'hub: <query> is not valid. It takes: what the agent should do.',
    ],
  ])('names the typed option for %s', (path, message, named) => {
    expect(nameTypedOption(find(), refused(path, message))).toMatchObject({
      exit: EXIT.usage,
      code: 'bad_request',
      message: named,
      details: { path },
    });
  });

  it('names a short value that was typed', () => {
    const command = find().exitOverride();
    command.parse(['print', '--country', 'Norway', '--tag', 'x'.repeat(61)], { from: 'user' });
    const say = (field: string) => nameTypedOption(command, refused(field, `"${field}" is wrong.`)).message;
    expect([say('query'), say('country'), say('tags')]).toEqual([
      '<query> "print" is wrong.',
      '--country "Norway" is wrong.',
      '--tag is wrong.',
    ]);
    const failure = refused('country', '"country" must have the format ^[A-Z]{2}$, not "Norway".');
    expect(nameTypedOption(command, failure).message).toMatch(/^--country "Norway" is not valid\. It takes: only of/);
  });

  it('names the key of --set', () => {
    const failure = refused('effort', '"effort" must be one of: low, high.');
    expect(nameTypedOption(edit(), failure).message).toBe('--set effort must be one of: low, high.');
  });

  it('is unchanged when no option matches', () => {
    for (const failure of [refused('other', '"other" is required.'), refused('', 'The body must be an object.')])
      expect(nameTypedOption(find(), failure)).toBe(failure);
  });
});
