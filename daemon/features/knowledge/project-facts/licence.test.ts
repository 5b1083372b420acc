import { describe, expect, it } from 'vitest';
import { findLanguageVersions } from './language-versions.js';
import { findLicence } from './licence.js';

const toTree = (files: Record<string, string>) => ({
  paths: Object.keys(files).sort(),
  linesOf: (path: string) => files[path]?.split('\n'),
});
const licences = (files: Record<string, string>) =>
  findLicence(toTree(files)).map(
    ({ sentence, path, startLine, endLine }) => `${sentence} ${path}:${startLine}-${endLine}`,
  );
/** Returns the licence that a file `LICENSE` of this text is said to hold; undefined when only the file is named. */
const named = (text: string) =>
  /^The licence is (?!in )(.*)/.exec(findLicence(toTree({ LICENSE: text }))[0]?.sentence ?? '')?.[1];

describe('a licence is known by its first words', () => {
  it.each([
    ['The MIT License', 'MIT'],
    ['Permission is hereby granted, free of charge, to any person', 'MIT'],
    ['apache license', 'Apache-2.0'],
    ['GNU AFFERO GENERAL PUBLIC LICENSE Version 3', 'AGPL-3.0'],
    ['GNU LESSER GENERAL PUBLIC LICENSE Version 3, 29 June', 'LGPL-3.0'],
    ['GNU LESSER GENERAL PUBLIC LICENSE', 'LGPL'],
    ['GNU General Public License\n\nVersion 3, 29 June', 'GPL-3.0'],
    ['GNU GENERAL PUBLIC LICENSE Version 2.15, June', 'GPL-2.15'],
    ['GNU GENERAL PUBLIC LICENSE Version 2.', 'GPL-2.0'],
    ['GNU GENERAL PUBLIC LICENSE', 'GPL'],
    ['Mozilla Public License', 'MPL-2.0'],
    ['ISC License', 'ISC'],
    ['Eclipse Public License - v 2.0', 'EPL-2.0'],
    ['Eclipse Public License, version 2', undefined],
    ['Eclipse Public License - version 2', 'EPL-2.0'],
    ['Eclipse Public License v2', 'EPL-2.0'],
    ['Eclipse Public License 2', 'EPL-2.0'],
    ['Eclipse Public License2', 'EPL-2.0'],
    ['Eclipse Public License - v 1.0', 'EPL-1.0'],
    ['Eclipse Public License -version 1', 'EPL-1.0'],
    ['Eclipse Public License v1', 'EPL-1.0'],
    ['Eclipse Public License 1', 'EPL-1.0'],
    ['Eclipse Public License1', 'EPL-1.0'],
    ['Eclipse Distribution License', 'BSD-3-Clause (Eclipse Distribution License)'],
    ['European Union Public Licence', 'EUPL'],
    ['European Union Public License', 'EUPL'],
    ['COMMON DEVELOPMENT AND DISTRIBUTION LICENSE', 'CDDL'],
    ['Creative Commons Zero', 'CC0-1.0'],
    ['CC0 1.0 Universal', 'CC0-1.0'],
    ['PYTHON SOFTWARE FOUNDATION LICENSE', 'PSF-2.0'],
    ['The Artistic License', 'Artistic'],
    ['PostgreSQL License', 'PostgreSQL'],
    ["This software is provided 'as-is', without any express or implied warranty", 'Zlib'],
    ['DO WHAT THE FUCK YOU WANT', 'WTFPL'],
    ['Boost Software License', 'BSL-1.0'],
    ['This is free and unencumbered software', 'Unlicense'],
    ['Redistribution and use in source and binary forms', 'BSD-2-Clause'],
    ['Redistribution and use in source and binary forms: neither the name of', 'BSD-3-Clause'],
    ['Redistribution and use in source and binary forms, nor the name of', 'BSD-3-Clause'],
    ['Redistribution and use in source and binary forms, nor the names of', 'BSD-3-Clause'],
    ['Redistribution and use in source and binary forms: neither the names', 'BSD-3-Clause'],
    ['Redistribution and use in source and binary forms: all Advertising Materials, nor the name of', 'BSD-4-Clause'],
    ['All rights are mine.', undefined],
  ])('%s: %s', (text, name) => expect(named(text)).toBe(name));

  it('the first one counts where a licence mentions others', () => {
    expect(named('Mozilla Public License\nor the Apache License')).toBe('MPL-2.0');
    expect(named('GNU GENERAL PUBLIC LICENSE Version 2\nGNU LESSER GENERAL PUBLIC LICENSE Version 3')).toBe('GPL-2.0');
    const far = `GNU GENERAL PUBLIC LICENSE ${'x'.repeat(83)} Version 3`;
    expect(named(far)).toBe('GPL-3.0');
    expect(named(`GNU GENERAL PUBLIC LICENSE ${'x'.repeat(84)} Version 3`)).toBe('GPL');
    expect(named(`${'x '.repeat(100)}GNU GENERAL PUBLIC LICENSE Version 2`)).toBe('GPL-2.0');
  });

  it('a short note names all of those between which one chooses', () => {
    for (const word of ['dual', 'multi', 'either', 'both', 'Dual'])
      expect(named(`It is ${word} licensed: Apache License, MIT License`)).toBe('Apache-2.0 and MIT');
    expect(named('either the MIT License')).toBe('MIT');
    const note = 'either the Apache License or the MIT License ';
    expect(named(note.padEnd(1_000, 'x'))).toBe('Apache-2.0 and MIT');
    expect(named(note.padEnd(1_001, 'x'))).toBe('Apache-2.0');
  });

  it.each([
    ['licensed under the AGPLv3', 'AGPL-3.0'],
    ['licenced under AGPL-3', 'AGPL-3.0'],
    ['licensed under AGPL 3', 'AGPL-3.0'],
    ['released under LGPL v3', 'LGPL-3.0'],
    ['released under LGPL3', 'LGPL-3.0'],
    ['distributed under LGPL-2.1', 'LGPL-2.1'],
    ['distributed under LGPLv2.1', 'LGPL-2.1'],
    ['available under GPL v3', 'GPL-3.0'],
    ['available under GPL3', 'GPL-3.0'],
    ['published under GPL-2', 'GPL-2.0'],
    ['published under GPLv2', 'GPL-2.0'],
    ['licensed under Apache-2', 'Apache-2.0'],
    ['licensed under Apache 2', 'Apache-2.0'],
    ['licensed under Apache version 2', 'Apache-2.0'],
    ['licensed under Apache-License-2', 'Apache-2.0'],
    ['licensed under BSD 3', 'BSD-3-Clause'],
    ['licensed under the 3-clause BSD', 'BSD-3-Clause'],
    ['licensed under BSD-2', 'BSD-2-Clause'],
    ['licensed under the 2-Clause BSD', 'BSD-2-Clause'],
    ['Licensed Under MIT', 'MIT'],
    ['licensed under ISC', 'ISC'],
    ['licensed under BSD', 'BSD'],
    ['licensed under mit', undefined],
    ['it is MIT', undefined],
  ])('a note that it is %s says which one applies: %s', (text, name) => expect(named(text)).toBe(name));
});

it.each([
  ['LICENSE', true],
  ['licence.md', true],
  ['COPYING', true],
  ['UNLICENSE', true],
  ['unlicence.rst', true],
  ['LICENSE-MIT', true],
  ['LICENSE_APACHE-2.txt', true],
  ['COPYING.LESSER', true],
  ['docs/LICENSE', false],
  ['LICENSE.md.bak.txt.old', false],
  ['licenses', false],
])('%s holds a licence: %s', (path, isOne) => {
  expect(licences({ [path]: 'MIT License' })).toEqual(isOne ? [`The licence is MIT ${path}:1-1`] : []);
});

it('quotes the first twelve lines of a licence, and none of an empty file', () => {
  expect(licences({ LICENSE: 'x\n'.repeat(20) })).toEqual(['The licence is in `LICENSE` LICENSE:1-12']);
  expect(licences({ LICENSE: 'x\ny' })).toEqual(['The licence is in `LICENSE` LICENSE:1-2']);
  expect(findLicence({ paths: ['LICENSE'], linesOf: () => [] })).toEqual([]);
  expect(findLicence({ paths: ['LICENSE'], linesOf: () => undefined })).toEqual([]);
});

it('reads the first sixty lines and 6,000 characters of a licence', () => {
  expect(named(`${'\n'.repeat(59)}MIT License`)).toBe('MIT');
  expect(named(`${'\n'.repeat(60)}MIT License`)).toBeUndefined();
  expect(named(`${'x'.repeat(5_988)} MIT License`)).toBe('MIT');
  expect(named(`${'x'.repeat(5_989)} MIT License`)).toBeUndefined();
});

describe('the licence that a manifest names comes before the files', () => {
  it.each<[string, string, string]>([
    ['package.json', '"license":"MIT OR ISC"', 'MIT OR ISC'],
    ['package.json', '  "license"  :  "MIT"', 'MIT'],
    ['Cargo.toml', '#license = "x"\nlicense="MIT"', 'MIT'],
    ['Cargo.toml', 'license  =  "MIT"', 'MIT'],
    ['pyproject.toml', '#license = "x"\nlicense="MIT"', 'MIT'],
    ['pyproject.toml', 'license  =  {  text  =  "MIT"}', 'MIT'],
    ['pyproject.toml', 'license={text="MIT"}', 'MIT'],
    ['setup.cfg', '#license = x\nlicense=MIT X ', 'MIT X'],
    ['setup.cfg', 'license  =  MIT', 'MIT'],
    ['setup.py', "license='MIT'", 'MIT'],
    ['setup.py', '    license  =  "MIT"', 'MIT'],
    ['composer.json', '"license":"MIT"', 'MIT'],
    ['composer.json', '"license"  :  "MIT"', 'MIT'],
    ['lamp-on.gemspec', '# s.license = "x"\n  spec.license = "MIT"', 'MIT'],
    ['lamp.gemspec', "s.licences=['MIT']", 'MIT'],
    ['lamp.gemspec', "s.licenses  =  [  'MIT']", 'MIT'],
  ])('in %s as %j', (path, text, name) => {
    const line = text.split('\n').length;
    expect(licences({ [path]: text, COPYING: 'ISC License' })).toEqual([
      `The licence is ${name} ${path}:${line}-${line}`,
      'The licence is ISC COPYING:1-1',
    ]);
  });

  it('but for a specification of a gem below the root, or with another ending', () => {
    expect(licences({ 'a/b.gemspec': 's.license = "MIT"', 'b.gemspec.x': 's.license = "MIT"' })).toEqual([]);
  });
});

describe('the versions of the language that a manifest asks for', () => {
  const maven = (tag: string) => `<${tag}>17</${tag}>`;
  it.each<[string, string, string]>([
    ['package.json', 'x "node": "1"\n  "node"  :  ">=20"', 'It needs Node.js >=20'],
    ['package.json', '"node":">=20"', 'It needs Node.js >=20'],
    ['pyproject.toml', '#python = "1"\nrequires-python  =  ">=3.9"', 'It needs Python >=3.9'],
    ['pyproject.toml', 'python="^3.9"', 'It needs Python ^3.9'],
    ['setup.cfg', '#python_requires = 1\npython_requires  =  >=3.9', 'It needs Python >=3.9'],
    ['setup.cfg', 'python_requires=>=3.9 ', 'It needs Python >=3.9'],
    ['setup.py', "  python_requires  =  '>=3.9'", 'It needs Python >=3.9'],
    ['setup.py', 'python_requires=">=3.9"', 'It needs Python >=3.9'],
    ['go.mod', 'x go 1\ngo  1.21', 'It needs Go 1.21'],
    ['Cargo.toml', '#rust-version = "1"\nrust-version  =  "1.70"', 'It needs Rust 1.70'],
    ['Cargo.toml', 'rust-version="1.70"', 'It needs Rust 1.70'],
    ['Cargo.toml', '#edition = "2018"\nedition  =  "2021"', 'It is written in the 2021 edition of Rust'],
    ['Cargo.toml', 'edition="2021"', 'It is written in the 2021 edition of Rust'],
    ['pom.xml', maven('maven.compiler.source'), 'It is compiled for Java 17'],
    ['pom.xml', maven('maven.compiler.release'), 'It is compiled for Java 17'],
    ['pom.xml', maven('maven.compiler.target'), 'It is compiled for Java 17'],
    ['pom.xml', maven('java.version'), 'It is compiled for Java 17'],
    ['pom.xml', maven('release'), 'It is compiled for Java 17'],
    ['pom.xml', maven('source'), 'It is compiled for Java 17'],
    ['build.gradle', "sourceCompatibility = '1.8'", 'It is compiled for Java 1.8'],
    ['build.gradle', 'languageVersion = JavaLanguageVersion.of(17)', 'It is compiled for Java 17'],
    ['CMakeLists.txt', 'set(CMAKE_CXX_STANDARD  17)', 'It is compiled as C++17'],
    ['CMakeLists.txt', 'target_compile_features(a PUBLIC cxx_std_20)', 'It is compiled as C++20'],
    ['composer.json', 'x "php": "1"\n  "php"  :  ">=8.1"', 'It needs PHP >=8.1'],
    ['composer.json', '"php":">=8.1"', 'It needs PHP >=8.1'],
  ])('in %s as %j', (path, text, sentence) => {
    const line = text.split('\n').length;
    expect(findLanguageVersions(toTree({ [path]: text }))).toEqual([
      { sentence, path, startLine: line, endLine: line },
    ]);
  });
});
