import { describe, expect, it } from 'vitest';
import { type FrontLines, frontPages, introducingSentence, introduction, saysWhatItIs } from './front-page.js';

const front = (text: string, isCode = false): FrontLines => ({
  ...{ path: 'README.md', startLine: 1, endLine: 1, title: '', isCode },
  lines: text.split('\n'),
});

describe('the front pages of a project', () => {
  it('are its README, manifests, guides, introductions, manuals, and the README of one part', () => {
    const pages = [
      'README.md',
      'readme.markdown',
      'README',
      'readme.rst',
      'Cargo.toml',
      'package.json',
      'CONTRIBUTING.md',
      'Install.txt',
      'hacking',
      'development.md',
      'usage.md',
      'docs/getting-started.rst',
      'docs/index.md',
      'doc/introduction.txt',
      'x/docs/readme.md',
      'x/docs/index.md',
      'lamp.1',
      'doc/lamp.8.in',
      'man/man1/lamp.1',
      'core/README.md',
    ];
    const ranked = frontPages([...pages].reverse(), ['lamp']);
    expect(ranked).toEqual([
      'README.md',
      'readme.markdown',
      'README',
      'readme.rst',
      'Cargo.toml',
      'package.json',
      ...['CONTRIBUTING.md', 'Install.txt', 'development.md', 'hacking', 'usage.md'],
      ...['doc/introduction.txt', 'docs/getting-started.rst', 'docs/index.md', 'x/docs/index.md', 'x/docs/readme.md'],
      ...['doc/lamp.8.in', 'lamp.1', 'man/man1/lamp.1'],
      'core/README.md',
    ]);
  });

  it.each([
    'core/package.json',
    'core/CONTRIBUTING.md',
    'x/y/docs/index.md',
    'docs/index',
    'docs/index.md5',
    'docs/indexes.md',
    'docs/other.md',
    'mydocs/index.md',
    'wick.1',
    'lamp.9',
    'lamp.1x',
    'lamp.1.in.x',
    'a/b/c/lamp.1',
    'a/b/README.md',
    'my-contributing.md',
    'src/a.ts',
    ...[
      'logo',
      'img',
      'Images',
      'assets',
      'contrib',
      'tools',
      'scripts',
      'debian',
      'packaging',
      'po',
      'icon',
      'icons',
    ].map((folder) => `${folder}/README.md`),
  ])('are not %s', (path) => expect(frontPages([path], ['lamp'])).toEqual([]));

  it('are the README of a part that is no example or test', () => {
    expect(frontPages(['x-logo/README.md', 'logos/README.md', 'testing/README.md', 'example/README.md'])).toEqual([
      'logos/README.md',
      'x-logo/README.md',
    ]);
    expect(frontPages(['lamp.1'])).toEqual([]);
  });
});

describe('the introduction', () => {
  const introduce = (files: Record<string, string>) =>
    introduction(Object.keys(files), (path) => files[path]?.split('\n')).map(
      ({ path, startLine, endLine, lines, title, isCode }) =>
        `${path}:${startLine}-${endLine} ${isCode ? 'code' : 'prose'} [${title}] ${lines.join(' / ')}`,
    );
  const page = (text: string) => introduce({ 'README.md': text });
  const SAYS = 'It is a lamp that is lit.';

  it.each<[string, string, string[]]>([
    ['is a paragraph of six words', SAYS, [`README.md:1-1 prose [] ${SAYS}`]],
    [
      'of seven, of which one is a link',
      'It is a lamp, see https://a.b',
      ['README.md:1-1 prose [] It is a lamp, see https://a.b'],
    ],
    ['of five it is none', 'It is a lamp lit.', []],
    ['below its heading', `# Lamp ##\n\n${SAYS}\nAnd more.`, [`README.md:3-4 prose [Lamp] ${SAYS} / And more.`]],
    ['below the last heading', `# A\n  ###### **B**\n${SAYS}`, [`README.md:3-3 prose [B] ${SAYS}`]],
    ['below a heading with a sharp', `# C# ##  \n${SAYS}`, [`README.md:2-2 prose [C#] ${SAYS}`]],
    ['behind an underline', `Lamp\n====\n${SAYS}`, [`README.md:3-3 prose [] ${SAYS}`]],
    ['behind a rule', `Lamp\n---  \n${SAYS}`, [`README.md:3-3 prose [] ${SAYS}`]],
    ['not behind a shorter one', `a\n--\n${SAYS}`, [`README.md:1-3 prose [] a / -- / ${SAYS}`]],
    ['not behind one with more', `a\n--- b\n${SAYS}`, [`README.md:1-3 prose [] a / --- b / ${SAYS}`]],
    ['up to eight lines', `${SAYS}${'\nx'.repeat(9)}`, [`README.md:1-8 prose [] ${SAYS}${' / x'.repeat(7)}`]],
    [
      'before a block of code',
      `${SAYS}\n\`\`\`\n# No\n${SAYS}\n\`\`\`\n${SAYS}`,
      [`README.md:1-1 prose [] ${SAYS}`, `README.md:6-6 prose [] ${SAYS}`],
    ],
    ['with another fence', `  ~~~\n${SAYS}\n~~~`, []],
    ['with no list of links', '- [It is a lamp that is](a)\n* [x](b)\n1. [y](c)\nz', []],
    [
      'with as many links as others',
      '- [It is a lamp](a)\nthat is lit',
      ['README.md:1-2 prose [] - [It is a lamp](a) / that is lit'],
    ],
    ['with one link', '2) [It is a lamp that is](a)', ['README.md:1-1 prose [] 2) [It is a lamp that is](a)']],
    ['with no markup', `${SAYS}\n  <b>`, []],
    ['with no image', `${SAYS}\n![a](b)`, []],
    ['with no badge', `${SAYS}\n  [![a](b)](c)`, []],
    ['with no definition of a link', `${SAYS}\n  [a b]: c`, []],
    ['with markup inside', 'It is a <b>lamp</b> that is', ['README.md:1-1 prose [] It is a <b>lamp</b> that is']],
    ['and no very long line', `${'x '.repeat(1_001)}`, []],
    ['but a long one', `${'x '.repeat(1_000)}`, [`README.md:1-1 prose [] ${'x '.repeat(1_000)}`]],
    [
      'in at most eight blocks',
      `${`${SAYS}\n\n`.repeat(9)}`,
      Array.from({ length: 8 }, (_, at) => `README.md:${2 * at + 1}-${2 * at + 1} prose [] ${SAYS}`),
    ],
  ])('%s', (_, text, found) => expect(page(text)).toEqual(found));

  it('is of one page, beside the manifests and manuals', () => {
    const found = introduce({
      'lamp.1': '.SH NAME\nlamp \\- lights',
      'README.md': SAYS,
      'docs/index.md': SAYS,
      'package.json': '{\n  "description": "It lights the house"\n}',
    });
    expect(found).toEqual([
      'lamp.1:2-2 prose [NAME] lamp - lights',
      `README.md:1-1 prose [] ${SAYS}`,
      'package.json:2-2 code [description]   "description": "It lights the house"',
    ]);
    expect(introduce({ 'README.md': 'x', 'docs/index.md': SAYS })).toHaveLength(1);
    expect(introduction(['README.md', 'package.json', 'lamp.1'], () => undefined)).toEqual([]);
  });

  it.each<[string, string, number]>([
    ['package.json', '"description":"Lights it"', 1],
    ['package.json', '  "description"  :  "Lights it"', 1],
    ['package.json', '"x": 1, "description": "Lights it"', 0],
    ['package.json', '"description": "Lights i"', 1],
    ['package.json', '"description": "Lights"', 0],
    ['Cargo.toml', "description = 'Lights it'", 1],
    ['setup.cfg', "'description' = 'Lights it'", 1],
    ['setup.py', '    description="Lights it"', 1],
    ['setup.py', "description='Lights it'", 1],
    ['setup.py', "description = 'Lights it'", 0],
    ['setup.py', "x description='Lights it'", 0],
    ['setup.py', "description='Lights'", 0],
  ])('in %s is %j: %i', (path, text, count) => expect(introduce({ [path]: `x\n${text}` })).toHaveLength(count));

  it.each<[string, string | undefined]>([
    ['.SH NAME\nlamp \\- lights', 'lamp - lights'],
    ['.Sh  "NAME"\n.Nm lamp\n.Nd lights it', 'lights it'],
    ['x\n.SH name\n\\fBlamp\\fR -\\-on', 'lamp --on'],
    ['.SH NAME\n\n\n\nlamp - x', 'lamp - x'],
    ['.SH NAME\n\n\n\n\nlamp - x', undefined],
    ['lamp - x\n.SH NAME', undefined],
    ['.SH OTHER\nlamp - x', undefined],
    ['x .SH NAME\nlamp - x', undefined],
    ['.SH NAME\nlamp-on', undefined],
    ['lamp - x', undefined],
    ['.SH NAME\n.TP  lamp - x', 'lamp - x'],
    ['.SH NAME - x\nlamp - y', 'lamp - y'],
  ])('of a manual %j: %s', (text, line) => {
    const [found] = introduction(['lamp.1'], () => text.split('\n'));
    expect(found?.lines[0]).toBe(line);
    if (found) expect(found).toMatchObject({ path: 'lamp.1', title: 'NAME', isCode: false, endLine: found.startLine });
  });
});

describe('a paragraph says what the project is', () => {
  it.each([
    'This is a lamp',
    'It really is a lamp',
    'It provides light',
    'This library contains lamps',
    'it implements lamps',
    'Welcome to the lamp',
    'Lamp is a light',
    'The lamp provides light',
    '**Lamp** are lights',
    'Lamp - a light',
    'Lamp, a light',
    'Lamp, which',
    'A_b helps',
    ...['lets', 'allows', 'enables', 'implements', 'gives', 'makes', 'offers', 'adds', 'brings'].map(
      (verb) => `Lamp ${verb}`,
    ),
    `Lamp ${'x'.repeat(39)} is`,
  ])('%s', (text) => expect(saysWhatItIs(front(text), ['x', 'a-b', 'lamp'])).toBe(true));

  it.each([
    'So this is a lamp',
    'This very old library is',
    'Not welcome to it',
    'A lamp is a light',
    'Lamps is',
    'Lamp isolated',
    'Lamp burns',
    'Lamp-on',
    `Lamp ${'x'.repeat(40)} is`,
    'Wick is',
  ])('and not %s', (text) => expect(saysWhatItIs(front(text), ['lamp'])).toBe(false));

  it('by a name of it only', () => {
    expect(saysWhatItIs(front('Lamp is'), [])).toBe(false);
    expect(saysWhatItIs(front(', is'), [])).toBe(false);
  });
});

describe('the sentence that introduces', () => {
  it.each<[string, boolean, string]>([
    ['It is a lamp. It is lit. More.', false, 'It is a lamp. It is lit.'],
    [`${'x'.repeat(108)}. It is lit.`, false, `${'x'.repeat(108)}. It is lit.`],
    [`${'x'.repeat(109)}. It is lit.`, false, `${'x'.repeat(109)}.`],
    ['It is\n**a lamp**', false, 'It is a lamp'],
    ['', false, ''],
    [`x ${'y'.repeat(400)}`, false, `x ${'y'.repeat(198)} …`],
    ['  "description"  : "Lights: it",', true, 'Lights: it'],
    ['description = "Lights"', true, 'Lights'],
    ["'description'='Lights',", true, 'Lights'],
    ['"a-b" = "Lights"', true, 'Lights'],
    ['"description": "Lights', true, 'Lights'],
    ['description Lights', true, ''],
    ['', true, ''],
  ])('%j: %s', (text, isCode, sentence) => expect(introducingSentence(front(text, isCode))).toBe(sentence));
});
