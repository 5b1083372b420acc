import { isSecretPath } from '../../../lib/secrets/secret-names.js';
import { foldPath } from '../../../lib/text/fold-path.js';
import { patternWith } from '../../../lib/text/pattern.js';

/** meshd's own folder: roster, prompts and contract tests say nothing about the project. */
const OWN = /(?:^|\/)\.mesh\//;

const NOT_TEXT = patternWith('i')`
    \.(?:png|jpe?g|gif|webp|avif|ico|icns|bmp|tiff?|psd|svg|woff2?|ttf|otf|eot|mp[34]|m4a|wav|ogg|flac|mov|avi
      |mkv|webm|pdf|docx?|xlsx?|pptx?|zip|gz|tgz|bz2|xz|zst|7z|rar|jar|war|class|o|a|so|dylib|dll|exe|node|wasm
      |pyc|pyo|pdb|db|sqlite3?|bin|dat|parquet|onnx|pt|npy|map)$
  `;
const MADE = patternWith('i')`
    ^(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|cargo\.lock|poetry\.lock
      |pipfile\.lock|uv\.lock|composer\.lock|gemfile\.lock|go\.sum|flake\.lock|podfile\.lock|mix\.lock
      |.*\.min\.(?:js|css|mjs)|.*\.bundle\.js|.*-lock\.json|.*\.snap|.*\.lock)$
  `;

/** The role of a file, derived from its path. */
type FileRole = 'readme' | 'docs' | 'source' | 'manifest' | 'test' | 'example' | 'log' | 'other';

const TEST = patternWith('i')`
    (?:^|\/)(?:(?:[\w-]+[_-])?tests?|__tests__|specs?|fixtures?|__fixtures__|__mocks__|mocks?|testdata|e2e|snapshots
      |bench(?:marks?)?)(?:\/|$)
    |[._-](?:test|spec|test-d|bench)\.[a-z]+$
    |(?:^|\/)test_[^/]*\.py$
    |_test\.(?:go|py|rb|exs|c|cc|cpp|cxx)$
  `;
const EXAMPLE = patternWith('i')`
    (?:^|\/)(?:examples?|samples?|demos?|playground|templates?|vendor|third[_-]?party|deps|external
      |\.mvn|gradle\/wrapper)\/
  `;
/** Code in a folder of documentation shows how something is used. */
const DOCUMENTS = /(?:^|\/)docs?\//i;
const LOG = patternWith('i')`
    (?:^|\/)(?:changelog|changes|history|news|releases?|authors|contributors|licen[cs]e|copying|notice
      |code[_-]of[_-]conduct)(?:[._-][^/]*)?$
  `;
const MANIFEST = patternWith('i')`
    (?:^|\/)(?:package\.json|pyproject\.toml|setup\.(?:py|cfg)|cargo\.toml|go\.mod|makefile|justfile|dockerfile
      |docker-compose[^/]*|compose\.ya?ml|gemfile|pom\.xml|build\.gradle(?:\.kts)?|cmakelists\.txt
      |tsconfig[^/]*\.json|binding\.gyp|tox\.ini|requirements[^/]*\.txt|procfile)$
  `;
const DOCUMENT = /\.(?:md|mdx|markdown|rst|adoc|asciidoc|txt|org|texi)$/i;
const SOURCE = patternWith('i')`
    \.(?:[cm]?[jt]sx?|vue|svelte|py|pyi|rb|go|rs|java|kts?|scala|swift|c|h|cc|cpp|cxx|hh|hpp|hxx|m|mm|cs|fs|php
      |pl|pm|lua|r|jl|ex|exs|erl|hs|ml|mli|clj|cljs|dart|zig|nim|sh|bash|zsh|fish|ps1|sql|proto|graphql|gql|sol
      |tf|el|vim)$
  `;

const WORTH: Record<FileRole, number> = {
  readme: 1.05,
  docs: 1.12,
  source: 1,
  manifest: 0.98,
  other: 0.9,
  example: 0.75,
  test: 0.5,
  log: 0.75,
};

/** Whether the file may be indexed: not a secret, not meshd's own, not a binary file by its name, not generated. */
export function mayBeIndexed(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (isSecretPath(path) || OWN.test(foldPath(path))) return false;
  return !NOT_TEXT.test(name) && !MADE.test(name);
}

export function getFileRole(path: string): FileRole {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (TEST.test(path)) return 'test';
  if (LOG.test(path)) return 'log';
  if (/^readme(?:\.|$)/i.test(name)) return 'readme';
  if (EXAMPLE.test(path)) return 'example';
  if (MANIFEST.test(path)) return 'manifest';
  if (DOCUMENT.test(name)) return 'docs';
  if (!SOURCE.test(name)) return 'other';
  return DOCUMENTS.test(path) ? 'example' : 'source';
}

/** The ranking weight of a file's passages, about 1. Deeply nested and hidden files weigh less. */
export function computeFileWeight(path: string): number {
  const depth = path.split('/').length - 1;
  const deep = 1 - 0.015 * Math.min(6, depth);
  const hidden = /^\.[^/]+\//.test(path) ? 0.8 : 1;
  return WORTH[getFileRole(path)] * deep * hidden;
}

const utf8 = new TextDecoder('utf-8');

/** Counts the occurrences of `part` in `text`, up to `limit + 1`. */
function getCount(part: string, text: string, limit = Number.POSITIVE_INFINITY): number {
  let count = 0;
  for (let at = text.indexOf(part); at >= 0 && count <= limit; at = text.indexOf(part, at + 1)) count += 1;
  return count;
}

/** Decodes text that a person wrote. Returns undefined for binary files and for files of a few very long lines. */
export function readableText(bytes: Uint8Array): string | undefined {
  if (bytes.subarray(0, 8_192).includes(0)) return undefined;
  const text = utf8.decode(bytes);
  const broken = getCount('\ufffd', text, 64);
  if (broken > 64 || broken > text.length / 10) return undefined;
  return text.length / (getCount('\n', text) + 1) > 400 ? undefined : text;
}

/** Splits a text into lines without their line ends (`\n` or `\r\n`). A final line end does not start another line. */
export function splitLines(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return text.includes('\r') ? lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line)) : lines;
}
