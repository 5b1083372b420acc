import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CodeBase } from '../../code-bases.js';
import type { Facts } from './facts.js';
import { readTypeScript } from './typescript.js';

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));

interface Tool {
  /** Endings of the files that it reads. */
  endings: string[];
  read: (root: string, files: readonly string[]) => Facts;
}

/** Runs a program that takes paths on its input and prints facts. */
function run(command: string, args: readonly string[], files: readonly string[], cwd?: string): Facts {
  const out = execFileSync(command, args, {
    input: files.join('\n'),
    encoding: 'utf8',
    maxBuffer: 1 << 30,
    stdio: ['pipe', 'pipe', 'inherit'],
    ...(cwd ? { cwd } : {}),
    env: { ...process.env, GO111MODULE: 'off' },
  });
  const facts = JSON.parse(out) as { [Key in keyof Facts]: Facts[Key] | null };
  return {
    definitions: facts.definitions ?? [],
    calls: facts.calls ?? [],
    imports: facts.imports ?? [],
    env: facts.env ?? [],
    extensions: facts.extensions ?? [],
  };
}

const C = (language: 'c' | 'c++'): Tool => ({
  endings: ['.c', '.h', '.cc', '.cpp', '.cxx', '.hpp', '.hh'],
  read: (root, files) => run('/usr/bin/python3', [here('c_facts.py'), language, root], files),
});

const SCRIPT: Tool = { endings: ['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts', '.tsx'], read: readTypeScript };

function readGo(root: string, files: readonly string[]): Facts {
  const module = /^module\s+(\S+)/m.exec(readFileSync(join(root, 'go.mod'), 'utf8'))?.[1] ?? '';
  return run('go', ['run', 'facts.go', module, root], files, here('go'));
}

/** Builds the reader of Rust with the crates that Debian has installed, and runs it. */
function readRust(root: string, files: readonly string[]): Facts {
  const folder = mkdtempSync(join(tmpdir(), 'meshd-bench-structure-'));
  try {
    cpSync(here('rust'), folder, { recursive: true });
    const debian = [
      'source.crates-io.replace-with="debian"',
      'source.debian.directory="/usr/share/cargo/registry"',
    ].flatMap((one) => ['--config', one]);
    execFileSync('cargo', ['build', '-q', '--offline', ...debian], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    return run(join(folder, 'target/debug/facts'), [root], files);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const TOOLS: Readonly<Record<string, Tool>> = {
  JavaScript: SCRIPT,
  TypeScript: SCRIPT,
  Python: { endings: ['.py'], read: (root, files) => run('python3', [here('python_facts.py'), root], files) },
  Go: { endings: ['.go'], read: readGo },
  Rust: { endings: ['.rs'], read: readRust },
  C: C('c'),
  'C++': C('c++'),
  Java: {
    endings: ['.java'],
    read: (root, files) => {
      const exports = ['tree', 'code'].flatMap((name) => [
        '--add-exports',
        `jdk.compiler/com.sun.tools.javac.${name}=ALL-UNNAMED`,
      ]);
      return run('java', [...exports, here('java/Facts.java'), root], files);
    },
  },
};

/** Returns the tool for the language of a code base. */
export function findTool(base: CodeBase): Tool {
  const tool = TOOLS[base.language];
  if (!tool) throw new Error(`There is no tool for ${base.language}.`);
  return tool;
}
