import { findJsonBlock, findLine, type ProjectFact, type ProjectTree } from './project-fact.js';

/** What a person wants to do with a project that is new to them. */
export type Task = 'test' | 'build' | 'run' | 'install' | 'lint';

const SENTENCES: Readonly<Record<Task, (command: string) => string>> = {
  test: (command) => `The tests run with \`${command}\``,
  build: (command) => `It is built with \`${command}\``,
  run: (command) => `It is started with \`${command}\``,
  install: (command) => `It is installed with \`${command}\``,
  lint: (command) => `It is linted with \`${command}\``,
};

const SCRIPTS: Readonly<Record<Task, readonly string[]>> = {
  test: ['test', 'tests', 'test:unit', 'check'],
  build: ['build', 'compile', 'dist', 'bundle', 'all'],
  run: ['start', 'dev', 'serve', 'run', 'up'],
  install: ['install', 'setup', 'bootstrap'],
  lint: ['lint', 'format', 'fmt'],
};

/** A tool of one ecosystem: the file that tells of it, the line in that file, and its commands. */
interface Tool {
  path: string;
  line: RegExp;
  commands: Partial<Record<Task, string>>;
}

const TOOLS: readonly Tool[] = [
  { path: 'tox.ini', line: /^\[(?:tox|testenv)\]/, commands: { test: 'tox' } },
  { path: 'noxfile.py', line: /^\s*@nox\.session/, commands: { test: 'nox' } },
  { path: 'pytest.ini', line: /^\[pytest\]/, commands: { test: 'pytest' } },
  { path: 'setup.cfg', line: /^\[tool:pytest\]/, commands: { test: 'pytest' } },
  { path: 'pyproject.toml', line: /^\[tool\.pytest/, commands: { test: 'pytest' } },
  {
    path: 'pyproject.toml',
    line: /^\[(?:build-system|project|tool\.poetry)\]/,
    commands: { install: 'pip install .', build: 'python -m build' },
  },
  {
    path: 'setup.py',
    line: /^\s*(?:setuptools\.)?setup\(/,
    commands: { install: 'pip install .', build: 'python -m build', test: 'python -m unittest' },
  },
  {
    path: 'Cargo.toml',
    line: /^\[(?:package|workspace)\]/,
    commands: {
      test: 'cargo test',
      build: 'cargo build --release',
      run: 'cargo run',
      install: 'cargo install --path .',
      lint: 'cargo clippy',
    },
  },
  {
    path: 'go.mod',
    line: /^module\s/,
    commands: {
      test: 'go test ./...',
      build: 'go build ./...',
      run: 'go run .',
      install: 'go install ./...',
      lint: 'go vet ./...',
    },
  },
  {
    path: 'pom.xml',
    line: /<artifactId>/,
    commands: { test: 'mvn test', build: 'mvn package', install: 'mvn install' },
  },
  {
    path: 'build.gradle',
    line: /\S/,
    commands: { test: './gradlew test', build: './gradlew build', run: './gradlew run' },
  },
  {
    path: 'build.gradle.kts',
    line: /\S/,
    commands: { test: './gradlew test', build: './gradlew build', run: './gradlew run' },
  },
  {
    path: 'configure.ac',
    line: /^AC_INIT/,
    commands: { test: 'make check', build: 'autoreconf -i && ./configure && make', install: 'make install' },
  },
  {
    path: 'CMakeLists.txt',
    line: /^\s*project\s*\(/i,
    commands: {
      test: 'ctest --test-dir build',
      build: 'cmake -B build && cmake --build build',
      install: 'cmake --install build',
    },
  },
  {
    path: 'meson.build',
    line: /^\s*project\s*\(/,
    commands: {
      test: 'meson test -C build',
      build: 'meson setup build && meson compile -C build',
      install: 'meson install -C build',
    },
  },
  { path: 'Rakefile', line: /\S/, commands: { test: 'rake test', build: 'rake build' } },
  { path: 'composer.json', line: /"name"\s*:/, commands: { install: 'composer install' } },
  { path: 'mix.exs', line: /defmodule/, commands: { test: 'mix test', build: 'mix compile', run: 'mix run' } },
  {
    path: 'Package.swift',
    line: /let\s+package/,
    commands: { test: 'swift test', build: 'swift build', run: 'swift run' },
  },
];

/** Returns the commands for a task, the project's own scripts and targets first. */
export function findCommands(tree: ProjectTree, task: Task): ProjectFact[] {
  const toFact = (command: string, path: string, line: number): ProjectFact => ({
    sentence: SENTENCES[task](command),
    path,
    startLine: line,
    endLine: line,
  });
  const tools = TOOLS.flatMap(({ path, line, commands }) => {
    const command = commands[task];
    const at = command === undefined ? undefined : findLine(tree, path, line);
    return command === undefined || !at ? [] : [toFact(command, path, at.line)];
  });
  return [...npmScripts(tree, task, toFact), ...targets(tree, task, toFact), ...tools];
}

type ToFact = (command: string, path: string, line: number) => ProjectFact;

function npmScripts(tree: ProjectTree, task: Task, toFact: ToFact): ProjectFact[] {
  const path = 'package.json';
  const lines = tree.paths.includes(path) ? (tree.linesOf(path) ?? []) : [];
  const block = findJsonBlock(lines, 'scripts');
  const manager = findLine(tree, path, /"packageManager"\s*:\s*"(npm|pnpm|yarn|bun)@/)?.value ?? 'npm';
  const found = SCRIPTS[task].flatMap((name) => {
    const index = block
      ? lines.slice(block[0], block[1]).findIndex((line) => line.trimStart().startsWith(`"${name}"`))
      : -1;
    if (index < 0 || !block) return [];
    const isShort = manager !== 'npm' || name === 'test' || name === 'start';
    return [toFact(`${manager} ${isShort ? '' : 'run '}${name}`, path, block[0] + index + 1)];
  });
  const name = findLine(tree, path, /^\s*"name"\s*:\s*"([\w@/.-]{1,214})"/);
  return task === 'install' && name
    ? [toFact(`${manager} ${manager === 'npm' ? 'install' : 'add'} ${name.value}`, path, name.line)]
    : found.slice(0, 1);
}

function targets(tree: ProjectTree, task: Task, toFact: ToFact): ProjectFact[] {
  const names = task === 'install' ? ['install'] : [...SCRIPTS[task], ...(task === 'test' ? ['test-all'] : [])];
  return tree.paths
    .filter((path) => /^(?:gnu)?makefile$|^justfile$/i.test(path))
    .flatMap((path) => {
      for (const name of names) {
        const at = findLine(tree, path, new RegExp(`^(${name})\\s*:(?!=)`));
        if (at) return [toFact(`${/just/i.test(path) ? 'just' : 'make'} ${name}`, path, at.line)];
      }
      return [];
    });
}
