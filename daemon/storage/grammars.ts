import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';

/** The WebAssembly programs of the parser: its core, and one grammar for each language. */
export type GrammarName =
  | 'core'
  | 'typescript'
  | 'tsx'
  | 'javascript'
  | 'python'
  | 'go'
  | 'rust'
  | 'java'
  | 'cpp'
  | 'c-sharp'
  | 'ruby'
  | 'php'
  | 'bash';

/** Where the build puts the compressed programs, seen from a bundle and from one of its chunks. */
const FOLDERS = ['./grammars/', '../grammars/'];

/**
 * Returns the WebAssembly program `name`: from `dist/grammars` of the bundle, where it is compressed, else from the
 * installed packages. Throws when it is in neither.
 */
export function readGrammar(name: GrammarName): Uint8Array<ArrayBuffer> {
  for (const folder of FOLDERS) {
    const file = fileURLToPath(new URL(`${folder}${name}.wasm.br`, import.meta.url));
    if (existsSync(file)) return new Uint8Array(brotliDecompressSync(readFileSync(file)));
  }
  const source =
    name === 'core' ? 'web-tree-sitter/web-tree-sitter.wasm' : `@vscode/tree-sitter-wasm/wasm/tree-sitter-${name}.wasm`;
  return new Uint8Array(readFileSync(createRequire(import.meta.url).resolve(source)));
}
