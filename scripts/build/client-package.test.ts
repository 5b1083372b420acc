import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { transformSync } from 'rolldown/experimental';
import { describe, expect, it, onTestFinished } from 'vitest';
import { testApp } from '../../daemon/testing/apps/test-app.js';
import { contractTypes } from './contract-types.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
const run = promisify(execFile);

const PROGRAM = `
import { WebSocket } from 'ws';
import { ApiError, ask, call, type EventFrame, events, isOver, type MemberList, rows, type RequestRow, Wall } from 'meshd/client';

const [address = '', token = ''] = process.argv.slice(2);
const daemon = { address, token, WebSocket };
const seen: string[] = [];
const heard: EventFrame[] = [];
for await (const frame of events(daemon)) {
  heard.push(frame);
  if (frame.type !== 'hello') break;
  const record = await ask(daemon, 'consultant', 'On which port does Lamp listen?', { session: 'one' });
  seen.push(String(isOver(record)), record.status, record.citations?.[0]?.status ?? 'none');
}
const { members } = await call<MemberList>(daemon, '/team');
for await (const { question } of rows<RequestRow>(daemon, '/requests', 'requests', { query: { limit: 1 } })) seen.push(question);
const wall = await Wall.join(daemon, { cluster: 'the-commons', agent: 'ada' });
const { delivered } = await wall.say('hello');
wall.leave();
const error = await call(daemon, '/nothing').catch((refusal: unknown) => refusal);
console.log(JSON.stringify([...seen, heard.length, members.length > 0, delivered, error instanceof ApiError && error.status]));
`;

/** Returns a folder in which the built package is installed, with no other packages than `packages`. */
function installed(files: Record<string, string>, packages: string[] = []): string {
  const folder = mkdtempSync(join(tmpdir(), 'meshd-package-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'node_modules/meshd'), { recursive: true });
  writeFileSync(join(folder, 'node_modules/meshd/package.json'), readFileSync(join(ROOT, 'package.json')));
  symlinkSync(join(ROOT, 'dist'), join(folder, 'node_modules/meshd/dist'));
  for (const name of packages) {
    mkdirSync(join(folder, 'node_modules', name, '..'), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
  }
  for (const [name, text] of Object.entries({ 'package.json': '{"type":"module"}', ...files }))
    writeFileSync(join(folder, name), text);
  return folder;
}

/** Returns the compiler's errors for `files`, with the types of the installed packages only. */
const check = (folder: string, files: string[], module: 'nodenext' | 'bundler', options: string[] = []) =>
  run(
    join(ROOT, 'node_modules/.bin/tsc'),
    [
      ...['--noEmit', '--strict', '--ignoreConfig', '--preserveSymlinks', '--target', 'es2023', '--lib', 'es2023,dom'],
      ...(module === 'nodenext' ? ['--module', 'nodenext'] : ['--module', 'esnext', '--moduleResolution', 'bundler']),
      ...options,
      ...files.map((file) => join(folder, file)),
    ],
    { cwd: folder, maxBuffer: 16 * 1024 * 1024 },
  ).then(
    () => '',
    (error: { stdout: string }) => error.stdout,
  );

/** Returns the bundle of a program that imports and uses `what`. */
async function bundled(what: string): Promise<string> {
  const folder = installed({ 'entry.js': `import { ${what} } from 'meshd/client';\nglobalThis.used = ${what};\n` });
  const bundle = await rolldown({ cwd: folder, input: 'entry.js', platform: 'browser' });
  try {
    return (await bundle.generate({ format: 'esm', minify: true })).output[0].code;
  } finally {
    await bundle.close();
  }
}

describe('the package meshd/client', () => {
  it('works in a plain program that installs it', async () => {
    const app = await testApp();
    await app.untilIndexed();
    const program = transformSync('program.ts', PROGRAM).code;
    const folder = installed({ 'program.mjs': program }, ['ws']);
    const { stdout } = await run(process.execPath, [
      join(folder, 'program.mjs'),
      app.address,
      await app.getToken('consultant'),
    ]);
    expect(JSON.parse(stdout)).toEqual(['true', 'done', 'checked', 'On which port does Lamp listen?', 2, true, 0, 404]);
  });

  it('has types that need no schema library, with both kinds of module resolution', async () => {
    const typed = ['ws', '@types/ws', '@types/node', 'undici-types'];
    const wrong = "import { ask } from 'meshd/client';\n// @ts-expect-error\nvoid ask({ address: 7 }, 'a', 'b');\n";
    const folder = installed({ 'program.mts': PROGRAM, 'wrong.mts': wrong }, typed);
    const nodeTypes = ['--types', 'node'];
    expect(await check(folder, ['program.mts', 'wrong.mts'], 'nodenext', nodeTypes)).toBe('');
    expect(await check(folder, ['program.mts', 'node_modules/meshd/dist/client.d.ts'], 'bundler', nodeTypes)).toBe('');
  });

  it('exports the contract’s types under their names, each equal to that of the contract', async () => {
    const types = (await contractTypes(ROOT)).filter(({ isExported }) => isExported);
    const files = [...new Set(types.map(({ file }) => file))];
    const isGeneric = (text: string) => /^export type \w+</m.test(text);
    const text = [
      "import type * as Ours from 'meshd/client';",
      ...files.map(
        (file, index) => `import type * as c${index} from '${ROOT}/daemon/contract/${file.replace(/ts$/, 'js')}';`,
      ),
      'type Fits<A, B extends A> = B;',
      ...types
        .filter(({ text: declared }) => !isGeneric(declared))
        .map(({ name, file, source }) => [`c${files.indexOf(file)}.${source}`, `Ours.${name}`])
        .map(([there, here], index) => `export type T${index} = [Fits<${there}, ${here}>, Fits<${here}, ${there}>];`),
    ].join('\n');
    expect(
      await check(installed({ 'same.mts': text }), ['same.mts'], 'bundler', ['--types', '', '--skipLibCheck']),
    ).toBe('');
  });

  it('is installed into a project as both READMEs say beside its import', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    for (const path of ['README.md', 'daemon/client/README.md']) {
      const text = readFileSync(join(ROOT, path), 'utf8');
      const beside = text.slice(0, text.indexOf("from 'meshd/client'")).slice(-500);
      expect(beside, path).toContain(`npm install --ignore-scripts --omit=optional /path/to/meshd-${version}.tgz`);
    }
  });

  it('lets bundlers remove functions that are not called', async () => {
    const [asking, seated] = await Promise.all([bundled('ask'), bundled('Wall')]);
    expect(seated).toContain('/ws');
    expect(asking).toContain('/ask');
    expect(asking).not.toMatch(/\/ws|\/events|WebSocket/);
    expect(asking.length).toBeLessThan(6_000);
  });
});
