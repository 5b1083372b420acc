import type { CodeLanguage, StructureStatus } from '../../../contract/system.js';
import type { GrammarName } from '../../../storage/grammars.js';
import type { LanguageRules } from './extraction.js';
import { BASH } from './languages/bash.js';
import { CPP } from './languages/cpp.js';
import { CSHARP } from './languages/csharp.js';
import { ECMASCRIPT } from './languages/ecmascript.js';
import { GO } from './languages/go.js';
import { JAVA } from './languages/java.js';
import { PHP } from './languages/php.js';
import { PYTHON } from './languages/python.js';
import { RUBY } from './languages/ruby.js';
import { RUST } from './languages/rust.js';

interface SourceLanguage {
  /** What is stored: languages whose files can import each other share a name. */
  name: string;
  grammar: Exclude<GrammarName, 'core'>;
  rules: LanguageRules;
}

const language = (name: string, grammar: SourceLanguage['grammar'], rules: LanguageRules): SourceLanguage => ({
  name,
  grammar,
  rules,
});

const TYPESCRIPT = language('ecmascript', 'typescript', ECMASCRIPT);
const TSX = language('ecmascript', 'tsx', ECMASCRIPT);
const JAVASCRIPT = language('ecmascript', 'javascript', ECMASCRIPT);
const SHELL = language('bash', 'bash', BASH);
const C_FAMILY = language('cpp', 'cpp', CPP);

const BY_ENDING: Readonly<Record<string, SourceLanguage>> = {
  ts: TYPESCRIPT,
  mts: TYPESCRIPT,
  cts: TYPESCRIPT,
  tsx: TSX,
  js: JAVASCRIPT,
  mjs: JAVASCRIPT,
  cjs: JAVASCRIPT,
  jsx: JAVASCRIPT,
  py: language('python', 'python', PYTHON),
  pyi: language('python', 'python', PYTHON),
  go: language('go', 'go', GO),
  rs: language('rust', 'rust', RUST),
  java: language('java', 'java', JAVA),
  c: C_FAMILY,
  h: C_FAMILY,
  cc: C_FAMILY,
  cpp: C_FAMILY,
  cxx: C_FAMILY,
  hh: C_FAMILY,
  hpp: C_FAMILY,
  hxx: C_FAMILY,
  inl: C_FAMILY,
  cs: language('csharp', 'c-sharp', CSHARP),
  rb: language('ruby', 'ruby', RUBY),
  rake: language('ruby', 'ruby', RUBY),
  php: language('php', 'php', PHP),
  sh: SHELL,
  bash: SHELL,
};

/** Returns the language of a file by its name; undefined when no grammar reads it. */
export function findLanguage(path: string): SourceLanguage | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  if (dot <= 0) return /^(?:Rakefile|Gemfile)$/.test(name) ? BY_ENDING['rb'] : undefined;
  return Object.hasOwn(BY_ENDING, name.slice(dot + 1).toLowerCase())
    ? BY_ENDING[name.slice(dot + 1).toLowerCase()]
    : undefined;
}

const NAMES: Readonly<Record<string, CodeLanguage>> = {
  bash: 'Bash',
  cpp: 'C and C++',
  csharp: 'C#',
  ecmascript: 'TypeScript and JavaScript',
  go: 'Go',
  java: 'Java',
  php: 'PHP',
  python: 'Python',
  ruby: 'Ruby',
  rust: 'Rust',
};

/** Returns the languages of counted files by the names that people know, in the same order; others are left out. */
export function nameLanguages(counts: readonly { language: string; files: number }[]): StructureStatus['languages'] {
  return counts.flatMap(({ language: name, files }) => {
    const known = NAMES[name];
    return known === undefined ? [] : [{ language: known, files }];
  });
}
