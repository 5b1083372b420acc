/**
 * Writes the questions about structure and their truths: `<code base>.json`, the same on every run. The truth
 * comes from tools that have nothing in common with the product: TypeScript's language service (in `node_modules`),
 * Python's `ast`, Go's `go/types`, javac's tree API, the Rust parser `syn`, and for C and C++ universal-ctags with
 * clang's lexer, in C checked against cscope. What a tool is not certain of is not asked.
 * Needs, of Debian: `universal-ctags cscope python3-clang golang-go openjdk-17-jdk-headless librust-syn-dev
 * librust-proc-macro2-dev rust-src`; and `cargo`, `python3`. Usage: `npx tsx
 * scripts/bench/answers/structure/generate.ts`. `--only <name>`, which may be repeated, takes some code bases; `--facts
 * <folder>` keeps there what the tools found, and takes it from there the next time.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { CODE_BASES, type CodeBase } from '../code-bases.js';
import { fetchCodeBase } from '../fetch-code-base.js';
import { DrawContext } from './draw-context.js';
import { drawAffected, drawEnvironment, drawImporters } from './draw-files.js';
import { drawCallers, drawDefinitions, drawExtensions, drawParameters } from './draw-names.js';
import type { Facts } from './facts/facts.js';
import { findTool } from './facts/read-facts.js';
import type { StructureSet } from './question.js';

const SEED = 20_261;
/** Endings of code: a name that is called in a file which no tool reads is not asked about. */
const CODE =
  /\.(?:groovy|kt|scala|java|[cm]?[jt]s|tsx|py|pyx|go|rs|c|h|cc|cpp|hpp|hh|y|l|rb|php|in|inc|m4|tcl|lua|jinja|vue)$/;
const { values: options } = parseArgs({
  options: { only: { type: 'string', multiple: true }, facts: { type: 'string' } },
});

function readFacts(base: CodeBase, root: string, files: readonly string[]): Facts {
  const kept = options.facts && join(options.facts, `${base.name}.facts.json`);
  if (kept && existsSync(kept)) return JSON.parse(readFileSync(kept, 'utf8')) as Facts;
  const facts = findTool(base).read(root, files);
  if (kept) {
    mkdirSync(options.facts as string, { recursive: true });
    writeFileSync(kept, JSON.stringify(facts));
  }
  return facts;
}

function generate(base: CodeBase, folder: string): StructureSet {
  const root = fetchCodeBase(base, folder);
  const listed = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 });
  const paths = listed.split('\0').filter(Boolean);
  const { endings } = findTool(base);
  const facts = readFacts(base, root, paths);
  const read = (path: string) => readFileSync(join(root, path), 'utf8');
  const texts = new Map(paths.filter((path) => endings.includes(extname(path))).map((path) => [path, read(path)]));
  const foreign = paths.filter((path) => CODE.test(path) && !texts.has(path)).map(read);
  const context = new DrawContext(base, facts, texts, foreign.join('\n'), paths, SEED);
  return {
    name: base.name,
    endings,
    questions: [
      ...drawDefinitions(context, 5),
      ...drawCallers(context),
      ...drawImporters(context, 4),
      ...drawAffected(context, 4),
      ...drawEnvironment(context, 3),
      ...drawParameters(context, 4),
      ...drawExtensions(context, 4),
    ],
  };
}

const folder = mkdtempSync(join(tmpdir(), 'meshd-bench-structure-'));
const written: string[] = [];
try {
  for (const base of CODE_BASES.filter(({ name }) => options.only?.includes(name) ?? true)) {
    const set = generate(base, folder);
    const file = fileURLToPath(new URL(`./${base.name}.json`, import.meta.url));
    writeFileSync(file, `${JSON.stringify(set, null, 2)}\n`);
    written.push(file);
    console.log(`${base.name}: ${set.questions.length} questions`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
execFileSync('npx', ['biome', 'format', '--write', ...written], { stdio: 'ignore' });
