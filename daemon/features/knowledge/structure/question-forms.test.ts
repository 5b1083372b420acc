import { describe, expect, it } from 'vitest';
import { readStructureQuestion } from './question-forms.js';

const read = (text: string) => {
  const found = readStructureQuestion(text);
  return found && [found.form, found.name].filter((part) => part !== '').join(' ');
};

describe('readStructureQuestion', () => {
  it.each([
    ['Where is `parseArgs` defined?', 'definition parseArgs'],
    ['which file defines the class Shop', 'definition Shop'],
    ['Can you tell me where the function parseArgs is implemented?', 'definition parseArgs'],
    ['Where is the function parseArgs implemented?', 'definition parseArgs'],
    ['where does Shop.open live?', 'definition Shop.open'],
    ['Who calls parseArgs?', 'callers parseArgs'],
    ['Which functions call `Shop::open`?', 'callers Shop::open'],
    ['Where is parseArgs called from?', 'callers parseArgs'],
    ['List all callers of parseArgs()', 'callers parseArgs()'],
    ['Does anything still call parseArgs?', 'callers parseArgs'],
    ['What uses the constant LIMIT?', 'uses LIMIT'],
    ['Where is LIMIT used?', 'uses LIMIT'],
    ['usages of LIMIT', 'uses LIMIT'],
    ['Which classes extend Base?', 'subclasses Base'],
    ['Subclasses of Base', 'subclasses Base'],
    ['Who implements Seller?', 'implementers Seller'],
    ['What does parseArgs call?', 'callees parseArgs'],
    ['Which functions are called by parseArgs?', 'callees parseArgs'],
    ['Which files import ranking.ts?', 'importers ranking.ts'],
    ['Where is lodash imported?', 'importers lodash'],
    ['What does src/main.ts import?', 'imports src/main.ts'],
    ['What breaks if I change src/words.ts?', 'dependents src/words.ts'],
    ['what is affected by changing words.ts', 'dependents words.ts'],
    ['Which files depend on words.ts?', 'dependents words.ts'],
    ['From which places is parseArgs() called?', 'callers parseArgs()'],
    ['If I edit `src/words.ts`, which other files are affected?', 'dependents src/words.ts'],
    ['Which files depend on src/words.ts, directly or indirectly?', 'dependents src/words.ts'],
    ['Where is the environment variable LAMP_PORT read?', 'variable LAMP_PORT'],
    ['Which code reads the LAMP_PORT environment variable?', 'variable LAMP_PORT'],
    ['Which environment variables does this project read?', 'environment'],
    ['What env vars are there?', 'environment'],
    ['List the HTTP routes', 'routes'],
    ['Which API endpoints are there?', 'routes'],
    ['What npm scripts are available?', 'scripts'],
    ['Which make targets exist?', 'scripts'],
    ['What errors can be thrown?', 'errors'],
    ['Which error codes are there?', 'errors'],
    ['What are the parameters and defaults of parseArgs?', 'parameters parseArgs'],
    ['Which arguments does parseArgs take?', 'parameters parseArgs'],
    ['What is the value of SIZE_MAX?', 'value SIZE_MAX'],
    ['What is SIZE_MAX set to?', 'value SIZE_MAX'],
    ['What is SIZE_MAX?', 'value SIZE_MAX'],
    ['Where is main?', 'entries'],
    ['What are the entry points?', 'entries'],
    ['What are the main parts of this project?', 'parts'],
    ['Which errors does parseArgs throw?', 'thrown parseArgs'],
  ])('reads %s', (text, meant) => expect(read(text)).toBe(meant));

  it.each([
    'How are tokens stored?',
    'Where is the retry logic?',
    'Which environment variable sets the port?',
    'What is the idea of this project?',
    'Why does the build fail with an error?',
    'What happens if I change it?',
    'How do I run the tests?',
    'Who wrote this?',
    'Where is the cache?',
    'What routes messages to members?',
    'Which errors does the client show when the network is down?',
    'Where is it used?',
    `${'a '.repeat(200)}?`,
  ])('leaves %s to the text search', (text) => expect(read(text)).toBeUndefined());

  it('asks about one parameter', () => {
    expect(readStructureQuestion('What is the default of the parameter limit of openShop?')).toMatchObject({
      form: 'default',
      name: 'openShop',
      parameter: 'limit',
    });
  });

  it('takes bounded time for hostile wordings', () => {
    const started = performance.now();
    for (const part of ['which ', 'what other function ', 'the the ', '((', '`', 'who calls ', 'a.b::'])
      readStructureQuestion(part.repeat(300).slice(0, 300));
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});
