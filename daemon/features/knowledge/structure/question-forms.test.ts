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
    ['Who are the importers of src/words.ts?', 'importers src/words.ts'],
    ['Dependents of words.ts', 'dependents words.ts'],
    ['Who calls light in src/lamp.ts?', 'callers light'],
    ['Who calls light, from the file `lamp.ts`?', 'callers light'],
  ])('reads %s', (text, meant) => expect(read(text)).toBe(meant));

  it.each([
    'How are tokens stored?',
    'Where is the retry logic?',
    'Which environment variable sets the port?',
    'What is the idea of this project?',
    'What is the idea of src/lamp.ts?',
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

  it.each<[string, readonly string[]]>([
    [
      'parameters Lamp.light',
      [
        'which are the parameters of Lamp.light',
        'what is the signature for Lamp.light',
        'what are args and their default values to Lamp.light',
        'which params does Lamp.light accept',
        'what inputs and types must the method Lamp.light get',
        'arguments and their defaults of Lamp.light',
        "what's the call signature of Lamp.light",
        'which defaults does Lamp.light have for its parameters',
        'how do I call Lamp.light',
        'how can we call the function Lamp.light',
        'what does Lamp.light expect as arguments',
        'what does `Lamp.light` take',
      ],
    ],
    [
      'callees Lamp.light',
      [
        'what does Lamp.light invoke',
        'which other functions will Lamp.light run internally',
        'what does Lamp.light use internally',
        'callees of Lamp.light',
        'calls made by Lamp.light',
        'what gets invoked inside Lamp.light',
        'which functions are called from within Lamp.light',
        'all functions that Lamp.light calls',
        'methods Lamp.light invokes',
      ],
    ],
    [
      'imports src/lamp.ts',
      [
        'which modules does src/lamp.ts include',
        'what other packages do src/lamp.ts depend on',
        'imports of src/lamp.ts',
        'what is imported by src/lamp.ts',
        'what gets imported into src/lamp.ts',
      ],
    ],
    [
      'dependents Lamp',
      [
        'what else breaks if we change Lamp',
        'what would break when I remove Lamp',
        'what has to change by refactoring Lamp',
        'what is affected by a change in Lamp',
        'what could break when Lamp goes away',
        'what is affected if Lamp is removed',
        'which files depend on Lamp transitively',
        'what are dependent upon Lamp',
        'if we edit Lamp, which other tests would be affected',
        'when someone delete Lamp, then what else has to change',
        'which files would be affected by changing Lamp',
        'which tests get affected when Lamp is changed',
        'impact of changing Lamp',
        'what is the blast radius of Lamp',
        'the effect if Lamp changes',
        'reverse dependencies of Lamp',
        'what are the dependents of Lamp',
      ],
    ],
    [
      'importers Lamp',
      [
        'who imports Lamp',
        'which other files require Lamp anywhere',
        'everything that pulls in Lamp',
        'all places that include Lamp',
        'who are the importers of Lamp',
        'users by import of Lamp',
        'from where do we import Lamp',
        'where is Lamp included from in the code',
        'in which files is Lamp imported',
        'which module is Lamp required by',
        'how many files load Lamp',
      ],
    ],
    [
      'subclasses Base',
      [
        'who extends Base',
        'what inherits from Base',
        'which classes are derived from Base',
        'which classes subclass Base',
        'what are the children of Base',
        'which subclasses does Base have',
        'derived classes of Base',
        'where is Base subclassed',
      ],
    ],
    [
      'implementers Seller',
      [
        'who conforms to Seller',
        'which classes satisfy Seller',
        'what are the implementing classes of Seller',
        'which implementations does Seller have',
        'implementors of Seller',
        'what implementations of Seller exist',
      ],
    ],
    [
      'callers light',
      [
        'what invokes light',
        'every caller that calls light',
        'every function which runs light',
        'who is the callers of light',
        'call sites of light',
        'invocations for light',
        'where do we call light',
        'from where does light get called',
        'by which functions is light invoked',
        'from what places does light get called from',
        'does anybody call light in this repository',
        'does any code still call light',
        'is light ever called',
        'where light gets invoked from',
        'how often is light called',
        'how many times is light invoked',
        'how many functions call light',
        'every call site of light',
        'every place that calls light',
      ],
    ],
    [
      'variable LAMP_PORT',
      [
        'where is the env var LAMP_PORT checked',
        'in which file does environment variable LAMP_PORT get read',
        'where is the LAMP_PORT environment variable used',
        'which code consumes the env variable LAMP_PORT',
        'who looks up LAMP_PORT env var',
      ],
    ],
    [
      'uses LIMIT',
      [
        'who references LIMIT',
        'which places rely on LIMIT',
        'everything that makes use of LIMIT',
        'mentions of LIMIT',
        'what are the references to LIMIT',
        'in which files is LIMIT being referenced',
        'where do we use LIMIT',
        'is LIMIT still used',
        'where LIMIT is referenced',
        'does something still reference LIMIT',
        'how many places use LIMIT',
        'every usage of LIMIT',
      ],
    ],
    [
      'thrown open',
      [
        'which exceptions can open raise',
        'what error codes might open return',
        'which errors are thrown by open',
        'what exceptions may be raised from open',
      ],
    ],
    [
      'definition Lamp',
      [
        'in which file is Lamp declared',
        "where's the class Lamp defined",
        'which line is Lamp defined in',
        'what module contains the definition of Lamp',
        'the location of Lamp',
        'definition site for Lamp',
        'where can I find the source of Lamp',
        'where should one look up the declaration for Lamp',
        'where do Lamp live',
        'where Lamp is written',
        'where is the implementation code of Lamp',
        'who declares Lamp',
      ],
    ],
    [
      'value SIZE_MAX',
      [
        'what is the exact value of SIZE_MAX',
        'what is the number behind SIZE_MAX',
        'what is the default value for SIZE_MAX',
        'which value does SIZE_MAX hold',
        'what does SIZE_MAX default to',
        'default value of SIZE_MAX',
        'which value does SIZE_MAX have',
        'how large is SIZE_MAX',
        "what's SIZE_MAX",
      ],
    ],
    [
      'definition parseArgs',
      [
        "where's parseArgs",
        'where are parseArgs',
        'where can we find parseArgs',
        'where do I find the parseArgs function',
      ],
    ],
    [
      'environment',
      [
        'which environment variables are read',
        'list all env vars of the process with their defaults',
        'environment settings',
        'which envs does the service accept',
        'what environment variables influence its behaviour',
      ],
    ],
    ['routes', ['list all http routes', 'which rest api endpoints and methods does the server expose', 'url paths']],
    [
      'scripts',
      [
        'which npm scripts can I run',
        'make targets',
        'which commands are there',
        'what tasks are available',
        'just recipes',
        'which cargo aliases are defined in the package.json',
      ],
    ],
    [
      'errors',
      ['which errors can be thrown', 'list the error codes', 'custom exception classes', 'what kinds of errors occur'],
    ],
    [
      'entries',
      [
        'what is the entry point',
        'entrypoints',
        'main function',
        'starting points of the cli',
        'where is main',
        'where does the program start',
        'where does execution begin',
        'where does this app start up',
      ],
    ],
    [
      'parts',
      [
        'what are the main modules',
        'list the most important files of the system',
        'most imported files',
        'core components of the architecture',
      ],
    ],
  ])('reads every wording of %s', (meant, texts) => {
    expect(texts.filter((text) => read(text) !== meant).map((text) => [text, read(text)])).toEqual([]);
  });

  it.each([
    ['Please list the callers of light', 'callers light'],
    ['hey, who calls light?', 'callers light'],
    ['ok so who calls light', 'callers light'],
    ['Could you please tell me who calls light?', 'callers light'],
    ['can you find who calls light', 'callers light'],
    ['show me who calls light', 'callers light'],
    ["I'd like to know who calls light", 'callers light'],
    ['I want to find out who calls light', 'callers light'],
    ['find out who calls light', 'callers light'],
    ['do you know who calls light', 'callers light'],
    ['print callers of light', 'callers light'],
    ['enumerate all of the callers of light', 'callers light'],
    ['Who   calls\tlight ?!', 'callers light'],
    ['who calls \u2018light\u2019', 'callers light'],
    ['who calls \u201clight\u201d', 'callers light'],
    ["who calls 'light'", 'callers light'],
    ['who calls light, and in which files?', 'callers light'],
    ['Who calls light and where?', 'callers light'],
    ['who calls light, or on what lines is it', 'callers light'],
    ['who calls Lamp.light(int, char)', 'callers Lamp.light'],
    ['who calls Lamp.prototype.light', 'callers Lamp.light'],
    ['who calls light()', 'callers light()'],
    ['who calls light()?', 'callers light()'],
    ['who calls ~Lamp', 'callers ~Lamp'],
    ['who calls $light', 'callers $light'],
    ['who calls @light', 'callers @light'],
  ])('reads through manners and marks in %s', (text, meant) => expect(read(text)).toBe(meant));

  it.each([
    ['so many', `who calls ${'l'.repeat(161)}`],
    ['two lines', 'who calls light\nwho calls dim'],
    ['nothing', ''],
    ['only marks', '?!.'],
    ...'it this that these those the a an them they there everything anything nothing something code project program i we you here all any some main'
      .split(' ')
      .map((word) => [word, `who calls ${word}`]),
    ['a number', 'who calls 3'],
    ['marks for a name', 'who calls ...'],
    ['a name with a mark', 'who calls a%b'],
  ])('takes %s for no name', (_, text) => expect(read(text)).toBeUndefined());

  it('reads a question of three hundred characters, and none of more', () => {
    const text = (length: number) => `${'who calls light'.padEnd(length - 1)}?`;
    expect([read(text(300)), read(text(301))]).toEqual(['callers light', undefined]);
  });

  it.each([
    ['what is sizeMax', 'value sizeMax'],
    ['what is SIZE', 'value SIZE'],
    ['what is size_max', 'value size_max'],
    ['what is a::b', 'value a::b'],
    ['what is size()', 'value size()'],
    ['what is a.b', 'value a.b'],
    ['what is $size', 'value $size'],
    ['what is `size`', 'value size'],
    ['what is the constant size', 'value size'],
    ['what is the size constant', 'value size'],
    ['where is the shop class', 'definition shop'],
    ['what is size', undefined],
    ['what is Size', undefined],
    ['what is S', undefined],
    ['what is a.', undefined],
    ['where is the size file', 'definition size'],
    ['where is the file size', undefined],
    ['where is the script size', undefined],
    ['where is the command size', undefined],
    ['where is the library size', undefined],
    ['where is the package size', undefined],
    ['where is the crate size', undefined],
    ['where is the component size', undefined],
    ['where is the helper size', undefined],
    ['where is the hook size', 'definition size'],
  ])('takes the loose %s for %s', (text, meant) => expect(read(text)).toBe(meant));

  it('says of a loose question that it is one', () => {
    expect(readStructureQuestion('what is SIZE_MAX')).toEqual({ form: 'value', name: 'SIZE_MAX', isLoose: true });
    expect(readStructureQuestion('value of SIZE_MAX')).toEqual({ form: 'value', name: 'SIZE_MAX', isLoose: false });
    expect(readStructureQuestion('list the routes')).toEqual({ form: 'routes', name: '', isLoose: false });
  });

  it.each([
    ['Trace every place from which `light` is invoked', 'callers light'],
    ['Give me each invocation of parse_args that you see', 'callers parse_args'],
    ['Which code paths end up calling Lamp.light when it is dark', 'callers Lamp.light'],
    ['Show the call sites for light() please', 'callers light'],
    ['List whatever reached Lamp#light, even tests', 'callers Lamp#light'],
    ['Is there any dead code near parseArgs', 'callers parseArgs'],
    ['any usages of LampKind in there that you know', 'uses LampKind'],
    ['show every single LampKind usage', 'uses LampKind'],
    ['find who is using LampKind these days', 'uses LampKind'],
    ['LampKind is used: in which files', 'uses LampKind'],
    ['I see that LampKind gets used, where exactly', 'uses LampKind'],
    ['list calls to `light` of `Lamp` that you see', 'callers Lamp.light'],
    ['list calls to light_up in the class LampKind around here', 'callers LampKind.light_up'],
    ['which callers does __init in src/lamp.py have, ever', 'callers __init'],
    ['each caller: a->light or so', 'callers a->light'],
    ['each caller: lit_up? or so', 'callers lit_up?'],
    ['who ever calls back_up', 'callers back_up'],
  ])('reads who calls or uses a name of the code in %s', (text, meant) => expect(read(text)).toBe(meant));

  it.each([
    'Trace every place from which light is invoked',
    'parseArgs is called',
    'Which functions does parseArgs in turn have to call',
    'What happens when parseArgs is called from which place',
    'List what comes before parseArgs gets called',
    'Who calls parseArgs or parseWords',
    'Who calls parseArgs, parseWords or parseAll',
    'Which place is parseArgs called twice in',
    'Which place has parseArgs called with two lists',
    'What if parseArgs calls back, in which place',
    'Which two callers of parseArgs are alike to you',
    'What do callers of parseArgs learn of it',
    'Which place is the best for parseArgs in the end',
    'Show the calls of `a b` and more of it',
    'Show the calls in src/lamp.ts of it',
    `Show me ${'very '.repeat(23)}old calls of parseArgs`,
  ])('leaves %s to the text search too', (text) => expect(read(text)).toBeUndefined());

  it('reads who calls a name in up to twenty-six words', () => {
    const text = (words: number) => `Show me ${'very '.repeat(words - 6)}old calls of parseArgs`;
    expect([read(text(26)), read(text(27))]).toEqual(['callers parseArgs', undefined]);
  });

  it.each([
    'which errors does the client show when a lamp is out',
    'where are errors handled',
    'which exceptions are caught',
    'what handles errors',
    'error handling: which errors',
    'which environment variables does the lamp read',
    'which commands of the lamp',
    'how are routes matched',
    'where does the lamp start',
    'what are the main ideas',
  ])('takes %s for no question about a whole list', (text) => expect(read(text)).toBeUndefined());

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
