import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';

const compress = promisify(brotliCompress);

/** The WebAssembly programs of the parser, by the name under which the daemon reads them. */
const PROGRAMS = {
  core: 'web-tree-sitter/web-tree-sitter.wasm',
  ...Object.fromEntries(
    ['typescript', 'tsx', 'javascript', 'python', 'go', 'rust', 'java', 'cpp', 'c-sharp', 'ruby', 'php', 'bash'].map(
      (name) => [name, `@vscode/tree-sitter-wasm/wasm/tree-sitter-${name}.wasm`],
    ),
  ),
};

/** Files of the installed packages that are in `dist/grammars`. */
export const GRAMMAR_SOURCES = Object.values(PROGRAMS);

/** Compressing takes most of a minute, so that what was compressed once is kept beside the stamp of the build. */
async function compressed(root, source) {
  const bytes = readFileSync(join(root, 'node_modules', source));
  const cache = join(root, 'node_modules/.cache/meshd/grammars');
  const kept = join(cache, `${createHash('sha256').update(bytes).digest('hex')}.br`);
  if (existsSync(kept)) return { packed: readFileSync(kept), kept };
  const packed = await compress(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  });
  mkdirSync(cache, { recursive: true });
  return { packed, kept };
}

/** Writes every program compressed into `folder` through `write(path, bytes, mode)`. Returns the paths from the root. */
export async function packGrammars(root, folder, write) {
  mkdirSync(folder, { recursive: true });
  const wanted = Object.entries(PROGRAMS);
  const outputs = await Promise.all(
    wanted.map(async ([name, source]) => {
      const { packed, kept } = await compressed(root, source);
      if (!existsSync(kept)) write(kept, packed, 0o644);
      write(join(folder, `${name}.wasm.br`), packed, 0o644);
      return `dist/grammars/${name}.wasm.br`;
    }),
  );
  for (const file of readdirSync(folder))
    if (!outputs.includes(`dist/grammars/${file}`)) rmSync(join(folder, file), { force: true });
  return outputs;
}
