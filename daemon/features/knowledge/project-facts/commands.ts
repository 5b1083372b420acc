import { patternWith } from '../../../lib/text/pattern.js';
import { findJsonBlock, findLine, linesIn, type ProjectFact, type ProjectTree } from './project-fact.js';
import { type Task, TOOLS } from './tools.js';

const SENTENCES: Readonly<Record<Task, (command: string) => string>> = {
  test: (command) => `The tests run with \`${command}\``,
  build: (command) => `It is built with \`${command}\``,
  run: (command) => `It is started with \`${command}\``,
  install: (command) => `It is installed with \`${command}\``,
  lint: (command) => `It is linted with \`${command}\``,
};

/** A shorter command is found in any text. */
const COMMAND_MIN_CHARS = 4;
/** The first command of a list stands close to its heading. */
const CONSOLE_LINES_MAX = 5;
const LINE_MAX_CHARS = 500;

const SCRIPTS: Readonly<Record<Task, readonly string[]>> = {
  test: ['test', 'tests', 'test:unit', 'check'],
  build: ['build', 'compile', 'dist', 'bundle', 'all'],
  run: ['start', 'dev', 'serve', 'run', 'up'],
  install: ['install', 'setup', 'bootstrap'],
  lint: ['lint', 'format', 'fmt'],
};

/** Returns the commands for a task, the project's own scripts and targets first. */
export function findCommands(tree: ProjectTree, task: Task, isFromSource = false): ProjectFact[] {
  const found = listCommands(tree, task, isFromSource);
  // What has no build step is ready once its dependencies are there.
  return found.length > 0 || task !== 'build' ? found : listCommands(tree, 'install', true);
}

function listCommands(tree: ProjectTree, task: Task, isFromSource: boolean): ProjectFact[] {
  const toFact = (command: string, path: string, line: number): ProjectFact => ({
    sentence: SENTENCES[task](command),
    path,
    startLine: line,
    endLine: line,
  });
  const tools = TOOLS.flatMap(({ path, line, beside, commands }) => {
    const command = commands[task];
    if (command === undefined || (beside && !tree.paths.some((one) => beside.test(one)))) return [];
    for (const one of typeof path === 'string' ? [path] : tree.paths.filter((other) => path.test(other))) {
      const at = findLine(tree, one, line);
      if (at) return [toFact(command, one, at.line)];
    }
    return [];
  });
  const [first, ...others] = [
    ...npmScripts(tree, task, toFact, isFromSource),
    ...composerScripts(tree, task, toFact),
    ...denoTasks(tree, task, toFact),
    ...(task === 'run' ? programs(tree, toFact) : []),
    ...targets(tree, task, toFact),
    ...tools,
    ...gems(tree, task, toFact),
  ];
  return first ? [first, ...documented(tree, first), ...others] : [];
}

const GUIDE = patternWith('i')`
    ^(?:docs?\/)?(?:readme|contributing|hacking|develop(?:ment|ing)|install(?:ing|ation)?|build(?:ing)?
      |testing)(?:[._-][\w.-]*)?$
  `;

/** Where the project's own guide gives the command of a fact, within its paragraph or block. */
function documented(tree: ProjectTree, { sentence, path: own }: ProjectFact): ProjectFact[] {
  const command = /`([^`]+)`/.exec(sentence)?.[1] ?? '';
  if (command.length < COMMAND_MIN_CHARS) return [];
  const pattern = new RegExp(`(?<![\\w-])${command.replaceAll(/[^\w ]/g, '\\$&')}(?![\\w-])`);
  for (const path of tree.paths.filter((one) => one !== own && GUIDE.test(one))) {
    const found = findLine(tree, path, pattern);
    if (found) return [{ sentence, path, startLine: found.line, endLine: found.line }];
  }
  return [];
}

type ToFact = (command: string, path: string, line: number) => ProjectFact;

/** Returns the first script of the task in a block of a JSON manifest, with its line. */
function findScript(
  lines: readonly string[],
  task: Task,
  called: 'scripts' | 'tasks' = 'scripts',
): { name: string; line: number } | undefined {
  const block = findJsonBlock(lines, called);
  if (!block) return undefined;
  const inside = lines.slice(block[0], block[1]);
  for (const name of SCRIPTS[task]) {
    const index = inside.findIndex((line) => line.trimStart().startsWith(`"${name}"`));
    if (index >= 0) return { name, line: block[0] + index + 1 };
  }
  return undefined;
}

function npmScripts(tree: ProjectTree, task: Task, toFact: ToFact, isFromSource: boolean): ProjectFact[] {
  const path = 'package.json';
  const manager = packageManager(tree);
  if (task === 'install') {
    const secret = findLine(tree, path, /^\s*"private"\s*:\s*(true)\b/);
    if (secret) return [toFact(`${manager} install`, path, secret.line)];
    const needs = isFromSource ? findLine(tree, path, /^\s*"(?:devD|d)ependencies"\s*:/) : undefined;
    if (needs) return [toFact(`${manager} install`, path, needs.line)];
    const name = findLine(tree, path, /^\s*"name"\s*:\s*"([\w@/.-]{1,214})"/);
    if (name) return [toFact(`${manager} ${manager === 'npm' ? 'install' : 'add'} ${name.value}`, path, name.line)];
  }
  const found = findScript(linesIn(tree, path), task);
  if (!found) return [];
  const isShort = manager !== 'npm' || found.name === 'test' || found.name === 'start';
  return [toFact(`${manager} ${isShort ? '' : 'run '}${found.name}`, path, found.line)];
}

/** The package manager that the manifest names or has a file for. Lock files are not in the index. */
function packageManager(tree: ProjectTree): string {
  const said = findLine(tree, 'package.json', /"packageManager"\s*:\s*"(npm|pnpm|yarn|bun)@/)?.value;
  if (said !== undefined) return said;
  if (tree.paths.includes('pnpm-workspace.yaml')) return 'pnpm';
  return tree.paths.includes('.yarnrc.yml') ? 'yarn' : 'npm';
}

/** A gem is installed by its name, or built from its specification. */
function gems(tree: ProjectTree, task: Task, toFact: ToFact): ProjectFact[] {
  if (task !== 'install' && task !== 'build') return [];
  return tree.paths.flatMap((path) => {
    const name = /^([\w-]+)\.gemspec$/.exec(path)?.[1];
    const at = name === undefined ? undefined : findLine(tree, path, /^\s*\w+\.name\s*=|Gem::Specification/);
    if (!at) return [];
    return [toFact(task === 'install' ? `gem install ${name}` : `gem build ${path}`, path, at.line)];
  });
}

function composerScripts(tree: ProjectTree, task: Task, toFact: ToFact): ProjectFact[] {
  const path = 'composer.json';
  const found = findScript(linesIn(tree, path), task);
  return found && task !== 'install' ? [toFact(`composer ${found.name}`, path, found.line)] : [];
}

function denoTasks(tree: ProjectTree, task: Task, toFact: ToFact): ProjectFact[] {
  return ['deno.json', 'deno.jsonc'].flatMap((path) => {
    const found = findScript(linesIn(tree, path), task, 'tasks');
    return found ? [toFact(`deno task ${found.name}`, path, found.line)] : [];
  });
}

/** Where a manifest of Python begins to name the commands that an installed package has, and one of them. */
const CONSOLE_SCRIPTS = /^\[(?:project|tool\.poetry)\.scripts\]|\bconsole_scripts\b/;
const CONSOLE_SCRIPT = /(?:^\s*|["'])([\w.-]{1,80})\s*["']?\s*=\s*["']?[A-Za-z_][\w.]*:\w/;

/** Returns the programs that are run by a name which the project gives: commands of Python, folders of Go. */
function programs(tree: ProjectTree, toFact: ToFact): ProjectFact[] {
  const scripts = ['pyproject.toml', 'setup.cfg', 'setup.py'].flatMap((path) => {
    const lines = linesIn(tree, path);
    const start = lines.findIndex((line) => CONSOLE_SCRIPTS.test(line));
    const inside = start < 0 ? [] : lines.slice(start, start + CONSOLE_LINES_MAX);
    const at = inside.findIndex((line) => line.length < LINE_MAX_CHARS && CONSOLE_SCRIPT.test(line));
    const name = CONSOLE_SCRIPT.exec(inside[at] ?? '')?.[1];
    return name === undefined ? [] : [toFact(name, path, start + at + 1)];
  });
  const folders = tree.paths.flatMap((path) => {
    const name = /^cmd\/([\w.-]{1,80})\/main\.go$/.exec(path)?.[1];
    const at = name === undefined ? undefined : findLine(tree, path, /^func main\(/);
    return at ? [toFact(`go run ./cmd/${name}`, path, at.line)] : [];
  });
  return [...scripts, ...folders];
}

/** Targets of a Makefile or Justfile by task. `dist` packs sources, and `all` is what `make` builds without a name. */
const TARGETS: Readonly<Record<Task, readonly string[]>> = {
  ...SCRIPTS,
  test: [...SCRIPTS.test, 'test-all', 'unittest'],
  build: ['build', 'compile', 'all'],
  install: ['install'],
};
const MAKEFILE = /^(?:gnu)?makefile$|^justfile$/i;
/** The first target of a Makefile that is not special to make. */
const FIRST_TARGET = /^([a-z][\w-]*)\s*:(?!=)/i;

function targets(tree: ProjectTree, task: Task, toFact: ToFact): ProjectFact[] {
  return (
    tree.paths
      .filter((path) => MAKEFILE.test(path) || (task === 'test' && /^makefile\.(?:am|in)$/i.test(path)))
      // Automake writes it from the other.
      .filter((path) => !path.endsWith('.in') || !tree.paths.includes(path.replace(/in$/, 'am')))
      .flatMap((path) => {
        const tool = /just/i.test(path) ? 'just' : 'make';
        for (const name of TARGETS[task]) {
          const at = findLine(tree, path, new RegExp(`^(?:[\\w-]+ )*(${name})(?: [\\w-]+)*\\s*:(?!=)`));
          if (at) return [toFact(tool === 'make' && name === 'all' ? tool : `${tool} ${name}`, path, at.line)];
        }
        const first = task === 'build' && tool === 'make' ? findLine(tree, path, FIRST_TARGET) : undefined;
        return first ? [toFact(tool, path, first.line)] : [];
      })
  );
}
