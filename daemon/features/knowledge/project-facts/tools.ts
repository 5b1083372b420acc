/** What a person wants to do with a project that is new to them. */
export type Task = 'test' | 'build' | 'run' | 'install' | 'lint';

/** A tool of one ecosystem: the file that declares it, the line in that file, and its commands. */
interface Tool {
  path: string | RegExp;
  line: RegExp;
  /** A file that must be there too: a command for tests is said only where there are tests. */
  beside?: RegExp;
  commands: Partial<Record<Task, string>>;
}

const PYTHON_TESTS = /(?:^|\/)(?:test_\w+|\w+_tests?|tests?)\.py$/;
const JVM_TESTS = /(?:^|\/)src\/test\//;
const CABAL = /^[\w.-]+\.cabal$/;
const AUTOTOOLS_TESTS = /^(?:check_[A-Z]+|TESTS|check-local)\b/;

export const TOOLS: readonly Tool[] = [
  { path: 'tox.ini', line: /^\[(?:tox|testenv)\]/, commands: { test: 'tox' } },
  { path: 'noxfile.py', line: /^\s*@nox\.session/, commands: { test: 'nox' } },
  { path: 'pytest.ini', line: /^\[pytest\]/, commands: { test: 'pytest' } },
  { path: 'setup.cfg', line: /^\[tool:pytest\]/, commands: { test: 'pytest' } },
  { path: 'pyproject.toml', line: /^\[tool\.pytest/, commands: { test: 'pytest' } },
  {
    path: /^(?:requirements(?:[-_./](?:dev|tests?))?|(?:dev|tests?)[-_.]requirements)\.txt$/,
    line: /^pytest\b/,
    beside: PYTHON_TESTS,
    commands: { test: 'pytest' },
  },
  { path: 'pyproject.toml', line: /["']pytest\b/, beside: PYTHON_TESTS, commands: { test: 'pytest' } },
  { path: 'setup.cfg', line: /^\s+pytest\b/, beside: PYTHON_TESTS, commands: { test: 'pytest' } },
  { path: 'setup.py', line: /["']pytest\b/, beside: PYTHON_TESTS, commands: { test: 'pytest' } },
  ...['conftest.py', 'tests/conftest.py', 'test/conftest.py'].map((path) => ({
    path,
    line: /\S/,
    commands: { test: 'pytest' },
  })),
  {
    path: 'pyproject.toml',
    line: /^\[(?:build-system|project|tool\.poetry)\]/,
    commands: { install: 'pip install .', build: 'python -m build' },
  },
  {
    path: 'setup.py',
    line: /^\s*(?:setuptools\.)?setup\(/,
    commands: { install: 'pip install .', build: 'python -m build' },
  },
  // A test that is a function of its own is one of pytest; unittest has classes.
  { path: PYTHON_TESTS, line: /^(?:async )?def test_\w+\(/, commands: { test: 'pytest' } },
  {
    path: 'setup.py',
    line: /^\s*(?:setuptools\.)?setup\(/,
    beside: PYTHON_TESTS,
    commands: { test: 'python -m unittest' },
  },
  {
    path: 'Cargo.toml',
    line: /^\[(?:package|workspace)\]/,
    commands: { test: 'cargo test', build: 'cargo build --release', lint: 'cargo clippy' },
  },
  {
    path: 'Cargo.toml',
    line: /^\[package\]/,
    beside: /^src\/(?:main\.rs$|bin\/)/,
    commands: { run: 'cargo run', install: 'cargo install --path .' },
  },
  { path: 'Cargo.toml', line: /^\[\[bin\]\]/, commands: { run: 'cargo run', install: 'cargo install --path .' } },
  {
    path: 'go.mod',
    line: /^module\s/,
    commands: { build: 'go build ./...', install: 'go install ./...', lint: 'go vet ./...' },
  },
  { path: 'go.mod', line: /^module\s/, beside: /_test\.go$/, commands: { test: 'go test ./...' } },
  { path: 'go.mod', line: /^module\s/, beside: /^main\.go$/, commands: { run: 'go run .' } },
  { path: 'pom.xml', line: /<artifactId>/, commands: { build: 'mvn package', install: 'mvn install' } },
  { path: 'pom.xml', line: /<artifactId>/, beside: JVM_TESTS, commands: { test: 'mvn test' } },
  ...['build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts'].flatMap((path) => [
    { path, line: /\S/, commands: { build: './gradlew build' } },
    { path, line: /\S/, beside: JVM_TESTS, commands: { test: './gradlew test' } },
  ]),
  {
    path: /^(?:[\w-]+\/)?build\.gradle(?:\.kts)?$/,
    line: /\bapplication\b|mainClass/,
    commands: { run: './gradlew run' },
  },
  { path: 'configure.ac', line: /^AC_INIT/, beside: /^configure$/, commands: { build: './configure && make' } },
  {
    path: 'configure.ac',
    line: /^AC_INIT/,
    beside: /^autogen\.sh$/,
    commands: { build: './autogen.sh && ./configure && make' },
  },
  {
    path: 'configure.ac',
    line: /^AC_INIT/,
    commands: { build: 'autoreconf -i && ./configure && make', install: 'make install' },
  },
  { path: /(?:^|\/)Makefile\.am$/, line: AUTOTOOLS_TESTS, commands: { test: 'make check' } },
  {
    path: 'CMakeLists.txt',
    line: /^\s*project\s*\(/i,
    commands: { build: 'cmake -B build && cmake --build build', install: 'cmake --install build' },
  },
  {
    path: 'CMakeLists.txt',
    line: /^\s*(?:enable_testing\s*\(|include\s*\(\s*CTest\b|add_test\s*\()/i,
    commands: { test: 'ctest --test-dir build' },
  },
  {
    path: 'meson.build',
    line: /^\s*project\s*\(/,
    commands: { build: 'meson setup build && meson compile -C build', install: 'meson install -C build' },
  },
  ...['meson.build', 'tests/meson.build', 'test/meson.build'].map((path) => ({
    path,
    line: /^\s*test\s*\(/,
    commands: { test: 'meson test -C build' },
  })),
  { path: 'Rakefile', line: /Rake::TestTask|task\s*\(?:test\b/, commands: { test: 'rake test' } },
  { path: 'Rakefile', line: /RSpec::Core::RakeTask/, commands: { test: 'rake spec' } },
  { path: '.rspec', line: /\S/, commands: { test: 'bundle exec rspec' } },
  { path: 'Rakefile', line: /bundler\/gem_tasks/, commands: { build: 'rake build', install: 'rake install' } },
  { path: 'Gemfile', line: /^\s*(?:source|gemspec)\b/, commands: { install: 'bundle install' } },
  ...['phpunit.xml.dist', 'phpunit.xml', 'phpunit.dist.xml'].map((path) => ({
    path,
    line: /<phpunit\b/,
    commands: { test: 'vendor/bin/phpunit' },
  })),
  { path: 'composer.json', line: /"name"\s*:/, commands: { install: 'composer install' } },
  { path: 'mix.exs', line: /defmodule/, commands: { build: 'mix compile', run: 'mix run' } },
  { path: 'mix.exs', line: /defmodule/, beside: /^test\//, commands: { test: 'mix test' } },
  { path: 'Package.swift', line: /let\s+package/, commands: { build: 'swift build', run: 'swift run' } },
  { path: 'Package.swift', line: /\.testTarget\(/, commands: { test: 'swift test' } },
  {
    path: 'Makefile.PL',
    line: /\bWriteMakefile\b|\bWriteAll\b/,
    commands: { build: 'perl Makefile.PL && make', test: 'make test', install: 'perl Makefile.PL && make install' },
  },
  {
    path: 'Build.PL',
    line: /Module::Build/,
    commands: { build: 'perl Build.PL && ./Build', test: './Build test', install: './Build install' },
  },
  { path: 'dist.ini', line: /^name\s*=/, commands: { build: 'dzil build', test: 'dzil test' } },
  { path: 'stack.yaml', line: /^resolver:/, commands: { build: 'stack build', test: 'stack test' } },
  { path: CABAL, line: /^name:/i, commands: { build: 'cabal build', install: 'cabal install' } },
  { path: CABAL, line: /^test-suite\b/i, commands: { test: 'cabal test' } },
  { path: 'SConstruct', line: /\S/, commands: { build: 'scons' } },
  { path: 'build.xml', line: /<project\b/, commands: { build: 'ant' } },
  { path: 'build.sbt', line: /\S/, commands: { build: 'sbt compile', run: 'sbt run' } },
  { path: 'build.sbt', line: /\S/, beside: JVM_TESTS, commands: { test: 'sbt test' } },
  { path: 'dune-project', line: /^\(lang dune/, commands: { build: 'dune build', test: 'dune test' } },
  { path: 'build.zig', line: /pub fn build\b/, commands: { build: 'zig build' } },
  { path: 'build.zig', line: /\baddTest\(/, commands: { test: 'zig build test' } },
  { path: 'rebar.config', line: /\S/, commands: { build: 'rebar3 compile', test: 'rebar3 eunit' } },
  { path: /^[\w.-]+\.sln$/, line: /\S/, commands: { build: 'dotnet build' } },
  { path: /^[\w.-]+\.sln$/, line: /[Tt]ests?\b[^\n]{0,200}\.csproj/, commands: { test: 'dotnet test' } },
  { path: 'Rakefile', line: /Rake::(?:Java)?ExtensionTask/, commands: { build: 'rake compile' } },
];
