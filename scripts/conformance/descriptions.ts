import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DaemonProcess } from '../../daemon/testing/processes/daemon-process.js';

const IGNORED = fileURLToPath(new URL('redocly-ignore.yaml', import.meta.url));
const MODULES = fileURLToPath(new URL('node_modules', import.meta.url));
const TSC = createRequire(import.meta.url)
  .resolve('typescript/package.json')
  .replace('package.json', 'bin/tsc');
const run = promisify(execFile);

interface RedoclyReport {
  totals: { errors: number; warnings: number; ignored: number };
  problems: { ignored?: boolean; ruleId: string; message: string; location: { pointer?: string }[] }[];
}

/**
 * A program as a stranger would write it: a client generated from the daemon's description, with typed answers and
 * typed refusals. What must not compile is marked.
 */
const CLIENT = `import createClient from 'openapi-fetch';
import type { paths } from './api.js';

const [, , baseUrl = '', token = ''] = process.argv;
const client = createClient<paths>({ baseUrl });
const { data: health } = await client.GET('/health', { params: { query: {} } });
const project: string = health!.project;
const headers = { Authorization: \`Bearer \${token}\` };
const asked = await client.POST('/team/{id}/ask', {
  params: { path: { id: 'consultant' } },
  body: { text: 'On which port does the lamp listen?' },
  headers,
});
const request_id: string = asked.data!.request_id;
const polled = await client.GET('/team/requests/{rid}', {
  params: { path: { rid: request_id }, query: { wait: 30 } },
  headers,
});
const status: string = polled.data!.status;
const refused = await client.GET('/team/{id}', { params: { path: { id: 'nobody' } } });
const code: string = refused.error!.error;
// @ts-expect-error There is no such path.
await client.GET('/no/such/path');
// @ts-expect-error The status is a text.
const wrong: number = polled.data!.status;
console.log(JSON.stringify({ project, status, code, wrong: typeof wrong }));
`;

/**
 * Lints one document as redocly recommends, without what `redocly-ignore.yaml` lists with reasons, and validates it
 * with swagger-parser. Returns what is wrong, of which a warning is a part.
 */
async function check(folder: string, name: string): Promise<string[]> {
  const redocly = join(MODULES, '@redocly/cli/bin/cli.js');
  const args = [redocly, 'lint', name, '--extends', 'recommended', '--format', 'json', '--max-problems', '1000'];
  // The exit status only repeats that there are errors.
  const { stdout } = await run(process.execPath, args, { cwd: folder, maxBuffer: 64 * 1024 * 1024 }).catch(
    (error: { stdout: string }) => error,
  );
  const { totals, problems } = JSON.parse(stdout) as RedoclyReport;
  const { errors, warnings, ignored } = totals;
  console.log(`${name}: redocly ${errors} errors, ${warnings} warnings, ${ignored} ignored with a reason.`);
  const wrong = problems
    .filter((problem) => problem.ignored !== true)
    .map(({ ruleId, message, location }) => `${name}: ${ruleId}: ${message} ${location[0]?.pointer}`);
  const { validate } = createRequire(join(MODULES, 'x.js'))('@apidevtools/swagger-parser') as {
    validate(path: string): Promise<unknown>;
  };
  const invalid = await validate(join(folder, name)).then(
    () => undefined,
    (error: Error) => `${name}: swagger-parser: ${error.message}`,
  );
  console.log(`${name}: swagger-parser ${invalid === undefined ? 'accepts it' : 'refuses it'}.`);
  return invalid === undefined ? wrong : [...wrong, invalid];
}

/** Generates a typed client, compiles a program that uses it, and runs that against the daemon. */
async function useTypedClient(folder: string, daemon: DaemonProcess, token: string): Promise<string[]> {
  symlinkSync(MODULES, join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'client.ts'), CLIENT);
  const types = join(MODULES, 'openapi-typescript/bin/cli.js');
  await run(process.execPath, [types, 'openapi.json', '-o', 'api.d.ts'], { cwd: folder });
  const options = ['--strict', '--module', 'nodenext', '--target', 'es2022', '--skipLibCheck', '--types', 'node'];
  const roots = fileURLToPath(new URL('../../node_modules/@types', import.meta.url));
  const compiled = await run(process.execPath, [TSC, ...options, '--typeRoots', roots, 'client.ts'], {
    cwd: folder,
  }).then(
    () => undefined,
    ({ stdout }: { stdout: string }) => `The typed client does not compile:\n${stdout}`,
  );
  if (compiled !== undefined) return [compiled];
  const { stdout } = await run(process.execPath, ['client.js', daemon.address, token], { cwd: folder });
  console.log(`The typed client drives the daemon: ${stdout.trim()}`);
  const { status, code } = JSON.parse(stdout) as { status: string; code: string };
  return status === 'done' && code === 'not_found' ? [] : [`The typed client got ${stdout.trim()}`];
}

/**
 * Checks the OpenAPI descriptions of the daemon and of an exposed member, as a daemon on a new project serves them.
 * Returns what is wrong.
 */
export async function checkDescriptions(): Promise<string[]> {
  const root = mkdtempSync(join(tmpdir(), 'meshd-descriptions-'));
  const folder = mkdtempSync(join(tmpdir(), 'meshd-descriptions-'));
  writeFileSync(join(root, 'README.md'), '# Lamp\n\nThe lamp listens on port 8123.\n');
  const daemon = await DaemonProcess.start(root, { PATH: process.env['PATH'], HOME: root });
  try {
    const token = await daemon.getToken('consultant');
    for (const [name, path] of [
      ['openapi.json', '/openapi.json'],
      ['member.yaml', '/team/consultant/openapi.yaml'],
    ] as const)
      writeFileSync(join(folder, name), await (await fetch(`${daemon.address}${path}`)).text());
    copyFileSync(IGNORED, join(folder, '.redocly.lint-ignore.yaml'));
    const wrong = [...(await check(folder, 'openapi.json')), ...(await check(folder, 'member.yaml'))];
    return [...wrong, ...(await useTypedClient(folder, daemon, token))];
  } finally {
    await daemon.stop();
    for (const made of [root, folder]) rmSync(made, { recursive: true, force: true });
  }
}
