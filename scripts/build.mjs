/**
 * Builds `dist/`: the command line (`meshd.js`), the daemon (`daemon.js`, and `test-daemon.js` for tests) with the
 * compiled schemas of its routes (`schemas/`), the workers, the libraries (`agent.js`, `client.js`), the dashboard
 * (`ui/`) and the licences of the bundled packages. A part whose inputs have not changed since the last run is not
 * rebuilt. `--force` builds it anyway; `--only daemon` (or `ui`) limits the build to one part.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { clientTypes } from './build/client-types.mjs';
import { compileDaemon } from './build/compile-daemon.mjs';
import { compiledMetaSchema } from './build/compiled-meta-schema.mjs';
import { DATA_SOURCES } from './build/dashboard-data.mjs';
import { GRAMMAR_SOURCES, packGrammars } from './build/grammars.mjs';
import { thirdPartyLicenses } from './build/licenses.mjs';
import { lockedFrontmatter } from './build/locked-frontmatter.mjs';
import { runBundle } from './build/run-bundle.mjs';
import { inMemory } from './build/schema-modules.mjs';
import { toAscii, toShippedMap } from './build/source-map.mjs';
import { digestOf, listFiles, readStamp, writeStamp } from './build/stamp.mjs';
import { RELATED_WORDS_SOURCES, relatedWordsFile } from './build/words/related-words.mjs';
import { SOFTWARE_TERMS_SOURCES, softwareTermsFile } from './build/words/software-terms.mjs';
import { wordFrequenciesFile } from './build/words/word-frequencies.mjs';

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
const dist = join(root, 'dist');
const stampFile = join(root, 'node_modules/.cache/meshd/build.json');

/** Entry points that Node.js starts: ES modules with shared chunks. */
const ENTRIES = {
  meshd: 'daemon/cli/meshd.ts',
  daemon: 'daemon/start.ts',
  'knowledge-worker': 'daemon/features/knowledge/knowledge-worker.ts',
  'connection-table-worker': 'daemon/storage/peers/connection-table-worker.ts',
};
/** The program that `daemon.js` runs. CommonJS, because its compiled code can be cached between two starts. */
const PROGRAMS = { daemon: 'daemon/main.ts' };
/** Programs contain what they share with chunks that are loaded later: the code of chunks is not cached. */
const WITH_SHARED = { preserveEntrySignatures: 'allow-extension' };
/**
 * The same daemon for tests, with a clock that tests move. It is next to the other, so that both share chunks, and in
 * no package (`files`).
 */
const TEST_ENTRY = { 'test-daemon': 'scripts/build/test-daemon.ts' };
const TEST_PROGRAM = { 'test-daemon': 'scripts/build/test-main.ts' };
/**
 * Compiles the schemas of the daemon's routes, each to a module in `dist/schemas` that is loaded when a route first
 * needs it.
 */
const SCHEMAS = { 'compiled-schemas': 'scripts/build/compiled-schemas.ts' };
/** Folders of `dist` whose file names change with each build. */
const MANY = ['chunks', 'schemas'];
/** Trains the model that recognises newcomers' questions. */
const QUESTION_MODEL = { 'question-model': 'scripts/build/words/question-model.ts' };
/**
 * The library that other programs import as `meshd/agent`. Bundled separately, so that it does not split the other
 * bundles into more chunks.
 */
const LIBRARY = { agent: 'daemon/agent-library.ts' };
/** Types of the library: this file unchanged, which refers to no other file, followed by the exported functions. */
const LIBRARY_TYPES = 'daemon/agent-library/agent-types.ts';
const LIBRARY_EXPORTS =
  'export declare const hostAgent: HostAgent;\nexport declare const registerAgent: RegisterAgent;\n';
/**
 * The library that other programs and pages import as `meshd/client`: one module without minification, for their own
 * bundlers.
 */
const CLIENT = 'daemon/client/client.ts';
/**
 * Packages that the daemon does not contain, with the source that replaces each. @fastify/static calls `glob` only with
 * the option `wildcard: false`, which the daemon does not set, and `glob` is three quarters of the code that
 * @fastify/static loads at the start.
 */
const UNUSED = { glob: 'exports.glob = undefined;' };
const SHARED_INPUTS = ['package.json', 'package-lock.json', 'tsconfig.json', 'scripts/build.mjs', 'scripts/build'];
/** Real questions, from which the model of newcomers' questions learns what none of them is. */
const QUESTIONS = 'scripts/bench/answers/questions';
const isProduct = (file) => !/\.test\.tsx?$|\.test\.mjs$/.test(file) && !/^(daemon\/testing|ui\/gallery)\//.test(file);

const PARTS = {
  daemon: { inputs: [...SHARED_INPUTS, QUESTIONS, 'daemon'], build: buildDaemon },
  ui: { inputs: [...SHARED_INPUTS, 'ui', 'daemon/client', 'daemon/contract', 'daemon/lib'], build: buildUi },
};

/** Returns the current digests of each part's inputs. */
function digests() {
  return Object.fromEntries(
    Object.entries(PARTS).map(([name, { inputs }]) => [name, digestOf(root, inputs, isProduct)]),
  );
}

/** Returns the parts that `dist/` lacks, or that were built from other inputs. */
export function staleParts(now = digests()) {
  const last = readStamp(stampFile);
  return Object.keys(PARTS).filter((name) => {
    const before = last?.[name];
    return before?.digest !== now[name] || before.outputs.some((file) => !existsSync(join(root, file)));
  });
}

/** Replaces the file at `path` atomically, so that no process starts a partial program. */
function replaceFile(path, text, mode) {
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, text, { mode });
  renameSync(temporary, path);
}

/** Writes the data about words that the daemon reads when a text is first searched. Returns the files' names. */
async function packWords() {
  const texts = {
    'related-words.br': relatedWordsFile(root),
    'word-frequencies.br': wordFrequenciesFile(root),
    'software-terms.br': softwareTermsFile(root),
    'question-model.br': await runPart(QUESTION_MODEL),
  };
  for (const [name, text] of Object.entries(texts)) replaceFile(join(dist, name), brotliCompressSync(text), 0o644);
  return Object.keys(texts).map((name) => `dist/${name}`);
}

/** Returns a chunk in the form in which it is shipped: code as ASCII, source map as text. */
function finishChunk(chunk) {
  const map = chunk.map && JSON.stringify(toShippedMap(chunk.code, chunk.map));
  return { ...chunk, code: toAscii(chunk.code), map };
}

/**
 * Bundles `input` in `format` and returns the chunks. Files are named with `extension`. The code does not refer to the
 * source maps, so that no start reads them; `lib/source-stack` looks for `<file>.map` when an unexpected error is
 * reported.
 */
async function bundleDaemon(input, format, extension, options = {}) {
  const { plugins = [], sourcemap = 'hidden', preserveEntrySignatures } = options;
  const { rolldown } = await import('rolldown');
  const bundle = await rolldown({
    cwd: root,
    input,
    platform: 'node',
    preserveEntrySignatures,
    external: ['better-sqlite3', 'better-sqlite3-12', /^node:/],
    moduleTypes: { '.sql': 'text', '.md': 'text' },
    plugins: [lockedFrontmatter(), inMemory(UNUSED), compiledMetaSchema(root), ...plugins],
    // An import that cannot be resolved must stop the build, not the daemon at its first start.
    onLog(level, log, report) {
      if (log.code === 'UNRESOLVED_IMPORT') throw new Error(log.message);
      if (level === 'warn' && !log.id?.includes('node_modules') && !log.message.includes('node_modules'))
        report(level, log);
    },
  });
  try {
    const { output } = await bundle.generate({
      dir: dist,
      format,
      entryFileNames: `[name].${extension}`,
      chunkFileNames: `chunks/[name]-[hash].${extension}`,
      minify: { mangle: true, compress: true, codegen: { removeWhitespace: true } },
      comments: { legal: false, annotation: false, jsdoc: false },
      keepNames: true,
      sourcemap,
    });
    return output.filter((file) => file.type === 'chunk').map(finishChunk);
  } finally {
    await bundle.close();
  }
}

/** Bundles a program of the build, runs it, and returns what it prints. */
const runPart = async (part) =>
  runBundle(await bundleDaemon(part, 'esm', 'mjs', { sourcemap: false }), dirname(stampFile), [root]);

/** Bundles the compiled schemas; shared parts are in chunks. */
async function bundleSchemas() {
  const sources = await runPart(SCHEMAS);
  const input = Object.fromEntries(Object.keys(sources).map((key) => [`schemas/${key}`, key]));
  return bundleDaemon(input, 'cjs', 'cjs', { plugins: [inMemory(sources)], sourcemap: false });
}

/**
 * Marks the start of a CommonJS package in a bundle as free of side effects, so that a bundler of the library leaves
 * out packages whose functions are not called.
 */
const markPureCommonJs = (code) =>
  code.replaceAll('__toESM((/* @__PURE__ */ __commonJSMin(', '__toESM(/* @__PURE__ */ (/* @__PURE__ */ __commonJSMin(');

/** Bundles the client library for Node.js and browsers. Returns its code and the modules in it. */
async function bundleClient() {
  const { rolldown } = await import('rolldown');
  const bundle = await rolldown({
    cwd: root,
    input: { client: CLIENT },
    platform: 'neutral',
    // The entry of tweetnacl is in `main`. Its `browser` field replaces `crypto` of Node.js by an empty module; the
    // library needs no random numbers of tweetnacl, because callers provide the seeds.
    resolve: { mainFields: ['module', 'main'], aliasFields: [['browser']] },
  });
  try {
    const { output } = await bundle.generate({
      format: 'esm',
      comments: { legal: false, annotation: true, jsdoc: false },
    });
    const [{ code, moduleIds }] = output;
    return { code: markPureCommonJs(code), moduleIds };
  } finally {
    await bundle.close();
  }
}

/** Builds the daemon, the command line, the workers and the two libraries. */
async function buildDaemon() {
  const chunks = [
    ...(await bundleDaemon(ENTRIES, 'esm', 'js')),
    ...(await bundleDaemon(LIBRARY, 'esm', 'js', { sourcemap: false })),
    ...(await bundleDaemon(PROGRAMS, 'cjs', 'cjs', WITH_SHARED)),
    ...(await bundleDaemon(TEST_ENTRY, 'esm', 'js')),
    ...(await bundleDaemon(TEST_PROGRAM, 'cjs', 'cjs', WITH_SHARED)),
    ...(await bundleSchemas()),
  ];
  for (const folder of MANY) mkdirSync(join(dist, folder), { recursive: true });
  for (const { fileName, code, map } of chunks) {
    if (map) replaceFile(join(dist, `${fileName}.map`), map, 0o644);
    replaceFile(join(dist, fileName), code, fileName === 'meshd.js' ? 0o755 : 0o644);
  }
  replaceFile(
    join(dist, 'agent.d.ts'),
    `${readFileSync(join(root, LIBRARY_TYPES), 'utf8')}\n${LIBRARY_EXPORTS}`,
    0o644,
  );
  const grammars = await packGrammars(root, join(dist, 'grammars'), replaceFile);
  const words = await packWords();
  const client = await bundleClient();
  replaceFile(join(dist, 'client.js'), client.code, 0o644);
  replaceFile(join(dist, 'client.d.ts'), await clientTypes(root), 0o644);
  const libraries = ['dist/agent.d.ts', 'dist/client.js', 'dist/client.d.ts'];
  const files = chunks.flatMap(({ fileName, map }) => (map ? [fileName, `${fileName}.map`] : [fileName]));
  const outputs = [...new Set(files.map((file) => `dist/${file}`)), ...libraries, ...grammars, ...words];
  const old = MANY.flatMap((folder) => listFiles(root, `dist/${folder}`)).filter((file) => !outputs.includes(file));
  for (const file of old) rmSync(join(root, file), { force: true });
  await compileDaemon(join(dist, 'daemon.js'));
  const sources = [...GRAMMAR_SOURCES, ...RELATED_WORDS_SOURCES, ...SOFTWARE_TERMS_SOURCES];
  const packed = sources.map((file) => join(root, 'node_modules', file));
  return { outputs, bundled: [...[...chunks, client].flatMap((chunk) => chunk.moduleIds), ...packed] };
}

/** Builds the dashboard, with the manifest of its files (`.vite/manifest.json`) that the size check reads. */
async function buildUi() {
  const configFile = ['ui/vite.config.ts', 'vite.config.ts']
    .map((file) => join(root, file))
    .find((file) => existsSync(file));
  if (!configFile) return { outputs: [], bundled: [] };
  const { build } = await import('vite');
  const [served, next, previous] = ['ui', '.ui-next', '.ui-previous'].map((name) => join(dist, name));
  const result = await build({
    configFile,
    logLevel: 'warn',
    build: { outDir: next, emptyOutDir: true, manifest: true },
  });
  // A running daemon serves this folder. It is complete at all times except between the two renames.
  rmSync(previous, { recursive: true, force: true });
  if (existsSync(served)) renameSync(served, previous);
  renameSync(next, served);
  rmSync(previous, { recursive: true, force: true });
  const output = [result].flat().flatMap((one) => one.output);
  // Fonts are included through stylesheets and are not modules. Each asset names the file that it was made from.
  const bundled = output.flatMap((file) =>
    file.type === 'chunk' ? file.moduleIds : file.originalFileNames.map((name) => join(root, 'ui', name)),
  );
  return {
    outputs: output.map((file) => `dist/ui/${file.fileName}`),
    bundled: [
      ...bundled.map((file) => file.replace(/^\0/, '').replace(/\?.*$/, '')),
      ...DATA_SOURCES.map((file) => join(root, 'node_modules', file)),
    ],
  };
}

function kilobytes(bytes) {
  return `${(bytes / 1000).toFixed(1)} kB`;
}

/** Prints the size of each of `parts`, raw and compressed. */
function printSizes(parts, stamp) {
  for (const part of parts) {
    const { outputs } = stamp[part];
    const files = outputs.filter((file) => !/\.(map|json)$/.test(file));
    const contents = files.map((file) => readFileSync(join(root, file)));
    const total = contents.reduce((sum, content) => sum + content.length, 0);
    const packed = contents.reduce((sum, content) => sum + gzipSync(content).length, 0);
    console.log(
      `  ${part.padEnd(8)}${String(files.length).padStart(4)} files ${kilobytes(total).padStart(11)} ${kilobytes(packed).padStart(11)} gzip`,
    );
  }
}

/** Builds the stale parts (with `force` all parts) among those in `only`. Returns the names of the parts it built. */
export async function buildProject({ force = false, only = Object.keys(PARTS) } = {}) {
  const started = performance.now();
  const now = digests();
  const stale = (force ? Object.keys(PARTS) : staleParts(now)).filter((name) => only.includes(name));
  const stamp = readStamp(stampFile) ?? {};
  mkdirSync(dist, { recursive: true });
  for (const name of stale) {
    const partStarted = performance.now();
    const { outputs, bundled } = await PARTS[name].build();
    const packages = bundled.filter((file) => file.includes('node_modules')).map((file) => relative(root, file));
    stamp[name] = { digest: now[name], outputs, packages };
    writeStamp(stampFile, stamp);
    console.log(`Built ${name} in ${Math.round(performance.now() - partStarted)} ms.`);
  }
  if (stale.length > 0) {
    const carried = Object.values(stamp).flatMap(({ packages }) => packages.map((file) => join(root, file)));
    const licenses = thirdPartyLicenses(carried);
    writeFileSync(join(dist, 'THIRD-PARTY-LICENSES.txt'), licenses.text);
    printSizes(stale, stamp);
    console.log(`  licences of ${licenses.count} packages`);
  }
  const state = stale.length > 0 ? `Built ${stale.join(' and ')}` : 'dist/ is up to date';
  console.log(`${state} (${Math.round(performance.now() - started)} ms).`);
  return stale;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { values } = parseArgs({ options: { force: { type: 'boolean' }, only: { type: 'string', multiple: true } } });
  await buildProject(values).catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
}
