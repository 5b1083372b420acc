import { describe, expect, it } from 'vitest';
import { findCommands } from './commands.js';
import type { ProjectTree } from './project-fact.js';
import type { Task } from './tools.js';

const TASKS: readonly Task[] = ['test', 'build', 'run', 'install', 'lint'];

const toTree = (files: Record<string, string>): ProjectTree => ({
  paths: Object.keys(files).sort(),
  linesOf: (path) => files[path]?.split('\n'),
});

/** Returns `<command> <path>:<line>` for each command of a task. */
const list = (task: Task, files: Record<string, string>, isFromSource = false) =>
  findCommands(toTree(files), task, isFromSource).map(
    ({ sentence, path, startLine, endLine }) =>
      `${/`(.+)`/.exec(sentence)?.[1]} ${path}:${startLine === endLine ? startLine : 'several lines'}`,
  );

/** Returns `<task>: <command> <path>:<line>` for the commands of every task. */
const listAll = (files: Record<string, string>) =>
  TASKS.flatMap((task) => list(task, files).map((one) => `${task}: ${one}`));

describe('each build tool is known by the line of its own file, and says its commands', () => {
  it.each<[string, Record<string, string>, string[]]>([
    ['tox', { 'tox.ini': ' [tox]\n[tox]' }, ['test: tox tox.ini:2']],
    ['tox by its environment', { 'tox.ini': '[testenv]' }, ['test: tox tox.ini:1']],
    ['nox', { 'noxfile.py': 'x @nox.session\n@nox.session' }, ['test: nox noxfile.py:2']],
    ['nox, indented', { 'noxfile.py': '  @nox.session' }, ['test: nox noxfile.py:1']],
    ['pytest.ini', { 'pytest.ini': '#[pytest]\n[pytest]' }, ['test: pytest pytest.ini:2']],
    ['pytest in setup.cfg', { 'setup.cfg': '#[tool:pytest]\n[tool:pytest]' }, ['test: pytest setup.cfg:2']],
    [
      'pytest in pyproject.toml',
      { 'pyproject.toml': '#[tool.pytest]\n[tool.pytest.ini_options]' },
      ['test: pytest pyproject.toml:2'],
    ],
    ['conftest.py', { 'conftest.py': '\nimport x' }, ['test: pytest conftest.py:2']],
    ['tests/conftest.py', { 'tests/conftest.py': 'import x' }, ['test: pytest tests/conftest.py:1']],
    ['test/conftest.py', { 'test/conftest.py': 'import x' }, ['test: pytest test/conftest.py:1']],
    [
      'test functions',
      { 'lamp/test_on.py': 'class A:\n  def test_x():\nasync def test_on_off(x):' },
      ['test: pytest lamp/test_on.py:3'],
    ],
    ['test functions beside', { 'on_tests.py': 'def test_on():' }, ['test: pytest on_tests.py:1']],
    ['test functions in tests.py', { 'a/tests.py': 'def test_on():' }, ['test: pytest a/tests.py:1']],
    ['test functions in test.py', { 'test.py': 'def test_on():' }, ['test: pytest test.py:1']],
    ['test functions in no test file', { 'a/latest.py': 'def test_on():', 'a/test_a.pyc': 'def test_on():' }, []],
    [
      'pyproject.toml',
      { 'pyproject.toml': '#[project]\n[project]' },
      ['build: python -m build pyproject.toml:2', 'install: pip install . pyproject.toml:2'],
    ],
    [
      'poetry',
      { 'pyproject.toml': '[tool.poetry]' },
      ['build: python -m build pyproject.toml:1', 'install: pip install . pyproject.toml:1'],
    ],
    [
      'a build system of Python',
      { 'pyproject.toml': '[build-system]' },
      ['build: python -m build pyproject.toml:1', 'install: pip install . pyproject.toml:1'],
    ],
    [
      'setup.py',
      { 'setup.py': 'mysetup(\n  setuptools.setup(' },
      ['build: python -m build setup.py:2', 'install: pip install . setup.py:2'],
    ],
    [
      'setup.py with tests',
      { 'setup.py': 'mysetup(\n  setup(', 'tests/on_test.py': '' },
      ['test: python -m unittest setup.py:2', 'build: python -m build setup.py:2', 'install: pip install . setup.py:2'],
    ],
    [
      'setuptools with tests',
      { 'setup.py': 'setuptools.setup(', 'tests/on_test.py': '' },
      ['test: python -m unittest setup.py:1', 'build: python -m build setup.py:1', 'install: pip install . setup.py:1'],
    ],
    [
      'Cargo, a library',
      { 'Cargo.toml': '# [package]\n[package]' },
      ['test: cargo test Cargo.toml:2', 'build: cargo build --release Cargo.toml:2', 'lint: cargo clippy Cargo.toml:2'],
    ],
    [
      'Cargo, a workspace',
      { 'Cargo.toml': '[workspace]' },
      ['test: cargo test Cargo.toml:1', 'build: cargo build --release Cargo.toml:1', 'lint: cargo clippy Cargo.toml:1'],
    ],
    [
      'Cargo, a program',
      { 'Cargo.toml': ' [package]\n[package]', 'src/main.rs': '' },
      [
        'test: cargo test Cargo.toml:2',
        'build: cargo build --release Cargo.toml:2',
        'run: cargo run Cargo.toml:2',
        'install: cargo install --path . Cargo.toml:2',
        'lint: cargo clippy Cargo.toml:2',
      ],
    ],
    [
      'Cargo, several programs',
      { 'Cargo.toml': '[package]\n [[bin]]\n[[bin]]' },
      [
        'test: cargo test Cargo.toml:1',
        'build: cargo build --release Cargo.toml:1',
        'run: cargo run Cargo.toml:3',
        'install: cargo install --path . Cargo.toml:3',
        'lint: cargo clippy Cargo.toml:1',
      ],
    ],
    [
      'Go',
      { 'go.mod': '// module x\nmodule x', 'a/a_test.go': '', 'main.go': '' },
      [
        'test: go test ./... go.mod:2',
        'build: go build ./... go.mod:2',
        'run: go run . go.mod:2',
        'install: go install ./... go.mod:2',
        'lint: go vet ./... go.mod:2',
      ],
    ],
    [
      'Maven',
      { 'pom.xml': '\n<artifactId>a', 'src/test/A.java': '' },
      ['test: mvn test pom.xml:2', 'build: mvn package pom.xml:2', 'install: mvn install pom.xml:2'],
    ],
    [
      'Maven without tests',
      { 'pom.xml': '<artifactId>a', 'mysrc/test/A.java': '' },
      ['build: mvn package pom.xml:1', 'install: mvn install pom.xml:1'],
    ],
    ...['build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts'].map(
      (path): [string, Record<string, string>, string[]] => [
        path,
        { [path]: '\nx', 'core/src/test/A.java': '' },
        [`test: ./gradlew test ${path}:2`, `build: ./gradlew build ${path}:2`],
      ],
    ),
    [
      'Gradle, a program',
      { 'app-1/build.gradle.kts': '\n  mainClass = x' },
      ['run: ./gradlew run app-1/build.gradle.kts:2'],
    ],
    [
      'Gradle, a program at the root',
      { 'build.gradle': 'x\nid application' },
      ['build: ./gradlew build build.gradle:1', 'run: ./gradlew run build.gradle:2'],
    ],
    ['Gradle, a program further below', { 'a/b/build.gradle': 'application', 'a/build.gradle.x': 'application' }, []],
    [
      'autoconf with a script',
      { 'configure.ac': 'x AC_INIT\nAC_INIT', 'autogen.sh': '' },
      [
        'build: ./autogen.sh && ./configure && make configure.ac:2',
        'build: autoreconf -i && ./configure && make configure.ac:2',
        'install: make install configure.ac:2',
      ],
    ],
    [
      'autoconf that was run',
      { 'configure.ac': 'x AC_INIT\nAC_INIT', configure: '', 'autogen.sh.in': '', 'x-autogen.sh': '' },
      [
        'build: ./configure && make configure.ac:2',
        'build: autoreconf -i && ./configure && make configure.ac:2',
        'install: make install configure.ac:2',
      ],
    ],
    [
      'autoconf alone',
      { 'configure.ac': 'AC_INIT', 'x/configure': '', 'configure.in': '' },
      ['build: autoreconf -i && ./configure && make configure.ac:1', 'install: make install configure.ac:1'],
    ],
    ['automake', { 'a/Makefile.am': 'XTESTS\nTESTS = a' }, ['test: make check a/Makefile.am:2']],
    [
      'automake with programs of tests',
      { 'a/Makefile.am': 'check_PROGRAMS = a' },
      ['test: make check a/Makefile.am:1'],
    ],
    ['automake with a target', { 'a/Makefile.am': 'check-local:' }, ['test: make check a/Makefile.am:1']],
    ['no automake', { 'a/xMakefile.am': 'TESTS', 'a/Makefile.amx': 'TESTS' }, []],
    [
      'CMake',
      { 'CMakeLists.txt': '#project(a)\n  PROJECT  (a)\n#enable_testing()\n  include ( CTest)' },
      [
        'test: ctest --test-dir build CMakeLists.txt:4',
        'build: cmake -B build && cmake --build build CMakeLists.txt:2',
        'install: cmake --install build CMakeLists.txt:2',
      ],
    ],
    [
      'CMake, tests enabled',
      { 'CMakeLists.txt': 'enable_testing  ()' },
      ['test: ctest --test-dir build CMakeLists.txt:1'],
    ],
    ['CMake, its module', { 'CMakeLists.txt': 'include(CTest)' }, ['test: ctest --test-dir build CMakeLists.txt:1']],
    [
      'CMake, its module, spaced',
      { 'CMakeLists.txt': 'include  (  CTest)' },
      ['test: ctest --test-dir build CMakeLists.txt:1'],
    ],
    ['CMake, one test', { 'CMakeLists.txt': 'add_test  (a)' }, ['test: ctest --test-dir build CMakeLists.txt:1']],
    [
      'CMake, one test without a gap',
      { 'CMakeLists.txt': 'add_test(a)' },
      ['test: ctest --test-dir build CMakeLists.txt:1'],
    ],
    [
      'Meson',
      { 'meson.build': "#project('a')\n  project  ('a')\n#test('a')\n  test  ('a')" },
      [
        'test: meson test -C build meson.build:4',
        'build: meson setup build && meson compile -C build meson.build:2',
        'install: meson install -C build meson.build:2',
      ],
    ],
    [
      'Meson, its tests beside',
      { 'tests/meson.build': "test('a')" },
      ['test: meson test -C build tests/meson.build:1'],
    ],
    ['Meson, a folder of tests', { 'test/meson.build': "test('a')" }, ['test: meson test -C build test/meson.build:1']],
    ['Rake', { Rakefile: '\nRake::TestTask.new' }, ['test: rake test Rakefile:2']],
    ['Rake, a task', { Rakefile: 'task :test do' }, ['test: rake test Rakefile:1']],
    ['Rake, a task in brackets', { Rakefile: 'task(:test)' }, ['test: rake test Rakefile:1']],
    ['Rake, another task', { Rakefile: 'task :tests' }, []],
    ['RSpec', { Rakefile: '\nRSpec::Core::RakeTask.new' }, ['test: rake spec Rakefile:2']],
    ['RSpec alone', { '.rspec': '\n--color' }, ['test: bundle exec rspec .rspec:2']],
    [
      'Rake for a gem',
      { Rakefile: "\nrequire 'bundler/gem_tasks'" },
      ['build: rake build Rakefile:2', 'install: rake install Rakefile:2'],
    ],
    [
      'Bundler',
      { Gemfile: '#source\n  source x' },
      ['build: bundle install Gemfile:2', 'install: bundle install Gemfile:2'],
    ],
    [
      'Bundler for a gem',
      { Gemfile: 'gemspec' },
      ['build: bundle install Gemfile:1', 'install: bundle install Gemfile:1'],
    ],
    ...['phpunit.xml.dist', 'phpunit.xml', 'phpunit.dist.xml'].map(
      (path): [string, Record<string, string>, string[]] => [
        path,
        { [path]: '<phpunits\n<phpunit>' },
        [`test: vendor/bin/phpunit ${path}:2`],
      ],
    ),
    [
      'Composer',
      { 'composer.json': '{\n  "name"  : "a/b"\n}' },
      ['build: composer install composer.json:2', 'install: composer install composer.json:2'],
    ],
    [
      'Mix',
      { 'mix.exs': '\ndefmodule A do', 'test/a.exs': '' },
      ['test: mix test mix.exs:2', 'build: mix compile mix.exs:2', 'run: mix run mix.exs:2'],
    ],
    [
      'Mix without tests',
      { 'mix.exs': 'defmodule A do', 'a/test/a.exs': '' },
      ['build: mix compile mix.exs:1', 'run: mix run mix.exs:1'],
    ],
    [
      'Swift',
      { 'Package.swift': '\nlet  package = 1\n.testTarget(' },
      ['test: swift test Package.swift:3', 'build: swift build Package.swift:2', 'run: swift run Package.swift:2'],
    ],
    [
      'MakeMaker',
      { 'Makefile.PL': 'XWriteMakefile\nWriteMakefile(' },
      [
        'test: make test Makefile.PL:2',
        'build: perl Makefile.PL && make Makefile.PL:2',
        'install: perl Makefile.PL && make install Makefile.PL:2',
      ],
    ],
    [
      'Module::Build',
      { 'Build.PL': '\nuse Module::Build;' },
      [
        'test: ./Build test Build.PL:2',
        'build: perl Build.PL && ./Build Build.PL:2',
        'install: ./Build install Build.PL:2',
      ],
    ],
    [
      'Dist::Zilla',
      { 'dist.ini': '#name = a\nname  = a' },
      ['test: dzil test dist.ini:2', 'build: dzil build dist.ini:2'],
    ],
    ['Dist::Zilla, close', { 'dist.ini': 'name=a' }, ['test: dzil test dist.ini:1', 'build: dzil build dist.ini:1']],
    [
      'Stack',
      { 'stack.yaml': '#resolver:\nresolver:' },
      ['test: stack test stack.yaml:2', 'build: stack build stack.yaml:2'],
    ],
    [
      'Cabal',
      {
        'a.b-c.cabal': '  name: a\nName: a\n  test-suite b\ntest-suite b',
        'x/a.cabal': 'name: x',
        'a.cabal.in': 'name: x',
      },
      ['test: cabal test a.b-c.cabal:4', 'build: cabal build a.b-c.cabal:2', 'install: cabal install a.b-c.cabal:2'],
    ],
    ['SCons', { SConstruct: '\nx' }, ['build: scons SConstruct:2']],
    ['Ant', { 'build.xml': '<projects>\n<project>' }, ['build: ant build.xml:2']],
    [
      'sbt',
      { 'build.sbt': '\nx', 'src/test/A.scala': '' },
      ['test: sbt test build.sbt:2', 'build: sbt compile build.sbt:2', 'run: sbt run build.sbt:2'],
    ],
    [
      'Dune',
      { 'dune-project': ' (lang dune\n(lang dune 3.0)' },
      ['test: dune test dune-project:2', 'build: dune build dune-project:2'],
    ],
    [
      'Zig',
      { 'build.zig': 'pub fn builds\npub fn build(b)\nb.addTests(\nb.addTest(' },
      ['test: zig build test build.zig:4', 'build: zig build build.zig:2'],
    ],
    [
      'Rebar',
      { 'rebar.config': '\n{x}.' },
      ['test: rebar3 eunit rebar.config:2', 'build: rebar3 compile rebar.config:2'],
    ],
    [
      '.NET',
      { 'A.b-c.sln': '\nProject\nx "A.Tests.Unit\\A.csproj"', 'x/B.sln': 'x', 'B.sln.old': 'x' },
      ['test: dotnet test A.b-c.sln:3', 'build: dotnet build A.b-c.sln:2'],
    ],
    ['.NET, one test', { 'A.sln': 'a test.csproj' }, ['test: dotnet test A.sln:1', 'build: dotnet build A.sln:1']],
    ['Rake for an extension', { Rakefile: '\nRake::ExtensionTask.new' }, ['build: rake compile Rakefile:2']],
    ['Rake for an extension in Java', { Rakefile: 'Rake::JavaExtensionTask.new' }, ['build: rake compile Rakefile:1']],
  ])('%s', (_, files, commands) => expect(listAll(files)).toEqual(commands));

  it.each([
    ['requirements.txt', true],
    ['requirements-dev.txt', true],
    ['requirements_test.txt', true],
    ['requirements/tests.txt', true],
    ['requirements.dev.txt', true],
    ['dev-requirements.txt', true],
    ['test_requirements.txt', true],
    ['tests.requirements.txt', true],
    ['requirements-docs.txt', false],
    ['docs/requirements.txt', false],
    ['requirements.txt.in', false],
    ['xdev-requirements.txt', false],
  ])('pytest that %s requires is run where there are tests: %s', (path, isKnown) => {
    const files = { [path]: 'nose\nxpytest\npytest>=3' };
    expect(list('test', files)).toEqual([]);
    expect(list('test', { ...files, 'tests/test_a.py': '' })).toEqual(isKnown ? [`pytest ${path}:3`] : []);
  });

  it.each([
    ['pyproject.toml', '"pytests"\n  "pytest>=3",', 'pytest pyproject.toml:2'],
    ['pyproject.toml', "  'pytest'", 'pytest pyproject.toml:1'],
    ['setup.cfg', 'pytest\n  pytest', 'pytest setup.cfg:2'],
    ['setup.cfg', '  pytests', undefined],
    ['setup.py', '"pytests"\n  tests=["pytest"],', 'pytest setup.py:2'],
    ['setup.py', "  'pytest'", 'pytest setup.py:1'],
  ])('pytest among the requirements of %s %j is run where there are tests', (path, text, command) => {
    expect(list('test', { [path]: text })).toEqual([]);
    expect(list('test', { [path]: text, 'tests/test_a.py': '' })).toEqual(command === undefined ? [] : [command]);
  });

  it('a program of Cargo lies in `src`, and Go has a `main.go` at its root', () => {
    const cargo = { 'Cargo.toml': '[package]' };
    expect(list('run', { ...cargo, 'src/bin/a.rs': '' })).toEqual(['cargo run Cargo.toml:1']);
    expect(list('run', { ...cargo, 'x/src/main.rs': '', 'src/main.rs.bak': '' })).toEqual([]);
    expect(list('run', { 'go.mod': 'module a', 'cmd/main.go': '', 'main.go.txt': '' })).toEqual([]);
    expect(list('test', { 'go.mod': 'module a', 'a_test.go.txt': '' })).toEqual([]);
  });
});

it.each<[Task, string]>([
  ['test', 'The tests run with `make test`'],
  ['build', 'It is built with `make build`'],
  ['run', 'It is started with `make run`'],
  ['install', 'It is installed with `make install`'],
  ['lint', 'It is linted with `make lint`'],
])('says how to %s in a sentence', (task, sentence) => {
  const files = { Makefile: `${task}:` };
  expect(findCommands(toTree(files), task)).toEqual([{ sentence, path: 'Makefile', startLine: 1, endLine: 1 }]);
});

it('what has no build step is ready once its dependencies are there', () => {
  const files = { 'package.json': '{\n  "name": "lamp",\n  "dependencies": {}\n}' };
  expect(list('build', files)).toEqual(['npm install package.json:3']);
  expect(list('run', files)).toEqual([]);
  expect(list('lint', files)).toEqual([]);
});

describe('the scripts of `package.json`', () => {
  const withScripts = (...names: string[]) =>
    `{\n  "scripts": {\n${names.map((name) => `    "${name}": "x"`).join(',\n')}\n  },\n  "check": 1,\n  "up": 1\n}`;

  it.each<[Task, string[], string]>([
    ['test', ['tests'], 'npm run tests'],
    ['test', ['test:unit'], 'npm run test:unit'],
    ['test', ['check'], 'npm run check'],
    ['test', ['check', 'test'], 'npm test'],
    ['build', ['build'], 'npm run build'],
    ['build', ['compile'], 'npm run compile'],
    ['build', ['dist'], 'npm run dist'],
    ['build', ['bundle'], 'npm run bundle'],
    ['build', ['all'], 'npm run all'],
    ['run', ['start'], 'npm start'],
    ['run', ['dev'], 'npm run dev'],
    ['run', ['serve'], 'npm run serve'],
    ['run', ['run'], 'npm run run'],
    ['run', ['up'], 'npm run up'],
    ['install', ['install'], 'npm run install'],
    ['install', ['setup'], 'npm run setup'],
    ['install', ['bootstrap'], 'npm run bootstrap'],
    ['lint', ['lint'], 'npm run lint'],
    ['lint', ['format'], 'npm run format'],
    ['lint', ['fmt'], 'npm run fmt'],
  ])('to %s are %j', (task, names, command) => {
    const line = 3 + names.findIndex((name) => command.endsWith(name));
    expect(list(task, { 'package.json': withScripts(...names) })).toEqual([`${command} package.json:${line}`]);
  });

  it('are looked for within their block only', () => {
    expect(list('run', { 'package.json': withScripts('other') })).toEqual([]);
    expect(list('test', { 'package.json': '{\n  "test": "x"\n}' })).toEqual([]);
  });

  it('are run by the package manager that the project names or has a file for', () => {
    const files = { 'package.json': withScripts('test', 'build') };
    const managed = (name: string) => ({
      'package.json': files['package.json'].replace('"up": 1', `"packageManager"  :  "${name}@9"`),
    });
    expect(list('build', managed('pnpm'))).toEqual(['pnpm build package.json:4']);
    expect(list('build', managed('bun'))).toEqual(['bun build package.json:4']);
    expect(list('build', { ...managed('npm'), '.yarnrc.yml': '' })).toEqual(['npm run build package.json:4']);
    expect(list('build', { 'package.json': '{"packageManager":"yarn@4",\n"scripts": {\n"build": 1\n}}' })).toEqual([
      'yarn build package.json:3',
    ]);
    expect(list('test', { ...files, 'pnpm-workspace.yaml': '' })).toEqual(['pnpm test package.json:3']);
    expect(list('test', { ...files, '.yarnrc.yml': '' })).toEqual(['yarn test package.json:3']);
    expect(list('test', files)).toEqual(['npm test package.json:3']);
  });

  it('a package is installed by its name, a private one and the sources by their dependencies', () => {
    const install = (text: string, isFromSource = false, others: Record<string, string> = {}) =>
      list('install', { 'package.json': text, ...others }, isFromSource);
    const open = '{\n  "x": "name": "no"\n  "name"  :  "@a/b.c-d",\n  "dependencies"  : {}\n}';
    expect(install(open)).toEqual(['npm install @a/b.c-d package.json:3']);
    expect(install(open, false, { '.yarnrc.yml': '' })).toEqual(['yarn add @a/b.c-d package.json:3']);
    expect(install(open, true)).toEqual(['npm install package.json:4']);
    expect(install('{\n  "a": "dependencies":\n"devDependencies": {}\n}', true)).toEqual([
      'npm install package.json:3',
    ]);
    expect(install('{\n  "name": "a",\n  "xprivate": true,\n  "private"  :  true\n}')).toEqual([
      'npm install package.json:4',
    ]);
    expect(install('{"private":true\n}')).toEqual([]);
    expect(install('"private":true')).toEqual(['npm install package.json:1']);
    expect(install('"name":"a"')).toEqual(['npm install a package.json:1']);
    expect(install('x "private": true\n"name": "a"\n"private": trueish')).toEqual(['npm install a package.json:2']);
  });
});

it('scripts of Composer are run by it, but for its own command', () => {
  const files = { 'composer.json': '{\n  "scripts": {\n    "build": "x",\n    "install": "x"\n  }\n}' };
  expect(list('build', files)).toEqual(['composer build composer.json:3']);
  expect(list('install', files)).toEqual([]);
});

it('tasks of Deno are those of both spellings of its file', () => {
  const text = '{\n  "scripts": {\n    "test": 1\n  },\n  "tasks": {\n    "test": 1\n  }\n}';
  expect(list('test', { 'deno.json': text })).toEqual(['deno task test deno.json:6']);
  expect(list('test', { 'deno.jsonc': text })).toEqual(['deno task test deno.jsonc:6']);
});

describe('a program is run by the name that the project gives', () => {
  it.each<[string, string, string[]]>([
    [
      'pyproject.toml',
      ' [project.scripts]\n[project.scripts]\nlamp-on = "lamp.cli:main"',
      ['lamp-on pyproject.toml:3'],
    ],
    ['pyproject.toml', '[tool.poetry.scripts]\n  "lamp.on"="lamp:main"', ['"lamp.on" pyproject.toml:2']],
    ['setup.cfg', '[options.entry_points]\nconsole_scripts =\n    lamp_on = lamp.cli:main', ['lamp_on setup.cfg:3']],
    ['setup.py', "x = 'a=b:c'\nconsole_scripts=[\n\n\n  'lamp=lamp.cli:main'", ['lamp setup.py:5']],
    ['setup.py', "console_scripts=['lamp  =  lamp.cli:main']", ['lamp setup.py:1']],
    ['setup.py', "console_scripts=[\n\n\n\n\n  'lamp=lamp.cli:main'", []],
    ['setup.py', "my_console_scripts=['lamp=lamp.cli:main']", []],
    ['setup.py', `console_scripts=['lamp=lamp.cli:main']${' '.repeat(464)}`, []],
    ['setup.py', `console_scripts=['lamp=lamp.cli:main']${' '.repeat(461)}`, ['lamp setup.py:1']],
    ['other.toml', '[project.scripts]\nlamp = "lamp.cli:main"', []],
  ])('in %s %j', (path, text, commands) => {
    const expected = commands.map((one) => one.replaceAll('"', ''));
    expect(list('run', { [path]: text })).toEqual(expected);
    expect(list('test', { [path]: text })).toEqual([]);
  });

  it('a folder of Go', () => {
    const main = 'package main\n// func main()\nfunc main() {}';
    expect(list('run', { 'cmd/lamp-d.x/main.go': main, 'cmd/a/b/main.go': main, 'x/cmd/a/main.go': main })).toEqual([
      'go run ./cmd/lamp-d.x cmd/lamp-d.x/main.go:3',
    ]);
    expect(list('run', { 'cmd/a/main.go.txt': main, 'cmd/b/main.go': 'package main' })).toEqual([]);
  });
});

describe('targets of a Makefile or Justfile', () => {
  it.each<[string, Task, string, string[]]>([
    ['Makefile', 'test', 'latest:\ntest: x', ['make test Makefile:2']],
    ['GNUmakefile', 'test', 'test:', ['make test GNUmakefile:1']],
    ['makefile', 'test', 'test  :', ['make test makefile:1']],
    ['Justfile', 'test', 'test:', ['just test Justfile:1']],
    ['justfile', 'build', 'other:', []],
    ['Makefile', 'test', 'lint x test more:', ['make test Makefile:1']],
    ['Makefile', 'test', 'test := 5', []],
    ['Makefile', 'test', 'test-all:', ['make test-all Makefile:1']],
    ['Makefile', 'test', 'unittest:', ['make unittest Makefile:1']],
    ['Makefile', 'test', 'check:', ['make check Makefile:1']],
    ['Makefile', 'build', 'compile:', ['make compile Makefile:1']],
    ['Makefile', 'build', 'dist:\nall: x', ['make Makefile:2']],
    ['justfile', 'build', 'all:', ['just all justfile:1']],
    ['Makefile', 'build', '.PHONY: x\nCC := a\nlamp-1  : b', ['make Makefile:3']],
    ['Makefile', 'test', 'lamp: b', []],
    ['Makefile', 'install', 'setup:\ninstall:', ['make install Makefile:2']],
    ['Makefile', 'install', 'setup:', []],
    ['Makefile', 'run', 'up:', ['make up Makefile:1']],
    ['Makefile', 'lint', 'fmt:', ['make fmt Makefile:1']],
    ['Makefile.am', 'test', 'check:', ['make check Makefile.am:1']],
    ['Makefile.in', 'test', 'check:', ['make check Makefile.in:1']],
    ['Makefile.in', 'run', 'run:', []],
    ['Makefile.inc', 'test', 'check:', []],
    ['xMakefile.am', 'test', 'check:', []],
    ['Makefile.old', 'run', 'run:', []],
    ['src/Makefile', 'test', 'test:', []],
    ['MyMakefile', 'test', 'test:', []],
    ['Justfiles', 'test', 'test:', []],
  ])('of %s, to %s, %j', (path, task, text, commands) => expect(list(task, { [path]: text })).toEqual(commands));

  it('of a file that automake writes are those of its source', () => {
    const files = { 'Makefile.am': 'x', 'Makefile.in': 'check:' };
    expect(list('test', files)).toEqual([]);
  });
});

it('a gem is installed by its name, or built from its specification', () => {
  const text = '# s.name\n  s.name  = "lamp"';
  const files = { 'lamp-on.gemspec': text, 'x/a.gemspec': text, 'b.gemspec.erb': text };
  expect(list('install', files)).toEqual(['gem install lamp-on lamp-on.gemspec:2']);
  expect(list('build', files)).toEqual(['gem build lamp-on.gemspec lamp-on.gemspec:2']);
  expect(list('test', files)).toEqual([]);
  expect(list('build', { 'a.gemspec': 'Gem::Specification.new' })).toEqual(['gem build a.gemspec a.gemspec:1']);
  expect(list('build', { 'a.gemspec': 's.name="a"' })).toEqual(['gem build a.gemspec a.gemspec:1']);
});

describe('the own guide of the project', () => {
  const make = (guide: string, text: string, target = 'test') =>
    list('test', { Makefile: `${target}:`, 'tox.ini': '[tox]', [guide]: text });

  it.each([
    'README.md',
    'readme',
    'CONTRIBUTING.rst',
    'HACKING',
    'docs/development.md',
    'doc/developing.txt',
    'INSTALL',
    'installing.md',
    'docs/installation.md',
    'BUILD.md',
    'building.md',
    'TESTING.md',
    'README-dev.md',
    'readme_de.md',
  ])('is %s: where it gives the command is said before other commands', (guide) => {
    expect(make(guide, 'x\nType make test.')).toEqual([
      'make test Makefile:1',
      `make test ${guide}:2`,
      'tox tox.ini:1',
    ]);
  });

  it.each(['src/README.md', 'docs/usage.md', 'test.md', 'xREADME.md', 'README!'])('is not %s', (guide) => {
    expect(make(guide, 'Type make test.')).toEqual(['make test Makefile:1', 'tox tox.ini:1']);
  });

  it('gives the whole command', () => {
    for (const text of ['make tests', 'remake test', '-make test', 'make test-all'])
      expect(make('README.md', text)).toEqual(['make test Makefile:1', 'tox tox.ini:1']);
    const files = { 'go.mod': 'module a', 'a_test.go': '', 'README.md': 'go test !/---\ngo test ./...' };
    expect(list('test', files)).toEqual(['go test ./... go.mod:1', 'go test ./... README.md:2']);
  });

  it('is not the file of the command itself, and says nothing of a very short command', () => {
    expect(list('test', { 'tox.ini': '[tox]', 'README.md': 'tox' })).toEqual(['tox tox.ini:1']);
    expect(list('build', { 'build.gradle': 'x\n// ./gradlew build' })).toEqual(['./gradlew build build.gradle:1']);
    expect(list('build', { Makefile: 'all:', 'README.md': 'make', INSTALL: 'make' })).toEqual([
      'make Makefile:1',
      'make INSTALL:1',
    ]);
  });
});

it('names the commands from the own ones of the project to those of its tools', () => {
  const files = {
    'package.json': '{\n  "scripts": {\n    "build": 1\n  }\n}',
    'composer.json': '{\n  "scripts": {\n    "build": 1\n  }\n}',
    'deno.json': '{\n  "tasks": {\n    "build": 1\n  }\n}',
    Makefile: 'build:',
    'Cargo.toml': '[package]',
    'a.gemspec': 's.name = 1',
  };
  expect(list('build', files)).toEqual([
    'npm run build package.json:3',
    'composer build composer.json:3',
    'deno task build deno.json:3',
    'make build Makefile:1',
    'cargo build --release Cargo.toml:1',
    'gem build a.gemspec a.gemspec:1',
  ]);
});
