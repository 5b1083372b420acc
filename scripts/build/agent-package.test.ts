import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
const PROGRAM = `
import { hostAgent } from 'meshd/agent';

const agent = await hostAgent({
  agent_id: 'echo',
  folder: new URL('./agent', import.meta.url).pathname,
  name: 'Echo',
  description: 'Says what it is told.',
  skills: [
    {
      id: 'echo',
      name: 'Echo',
      description: 'Says what it is told.',
      input_schema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      run: ({ text }) => ({ text }),
    },
  ],
});
console.log(agent.url);
process.on('SIGTERM', () => agent.close().then(() => process.exit(0)));
`;

/** Returns a folder in which the built package is installed. */
function installed(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'meshd-package-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(ROOT, join(folder, 'node_modules/meshd'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

describe('the package meshd/agent', () => {
  it('hosts an agent in a small program that exits on SIGTERM', async () => {
    const folder = installed({ 'echo.mjs': PROGRAM });
    const program = spawn(process.execPath, [join(folder, 'echo.mjs')], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void program.kill('SIGKILL'));
    const [url] = (await once(createInterface(program.stdout), 'line')) as [string];
    const answer = await fetch(`${url}/v1/echo`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"text":"hello"}',
    });
    expect([answer.status, await answer.json()]).toEqual([200, { text: 'hello' }]);
    expect(await (await fetch(`${url}/health`)).json()).toEqual({ ok: true, agent_id: 'echo', upstream_ready: true });
    program.kill('SIGTERM');
    expect(await once(program, 'exit')).toEqual([0, null]);
  });

  it('has types that need no other package', async () => {
    const folder = installed({
      'echo.mts': PROGRAM.replace("new URL('./agent', import.meta.url).pathname", "'agent'").replace(
        /process[^\n]+\n/,
        '',
      ),
      'wrong.mts': "import { hostAgent } from 'meshd/agent';\nvoid hostAgent({ agent_id: 7 });\n",
      'package.json': '{"type":"module"}',
    });
    const check = (file: string) =>
      promisify(execFile)(
        join(ROOT, 'node_modules/.bin/tsc'),
        [
          '--noEmit',
          '--strict',
          '--module',
          'nodenext',
          '--target',
          'es2023',
          '--lib',
          'es2023,dom',
          '--types',
          '',
          join(folder, file),
        ],
        { cwd: folder },
      ).then(
        () => '',
        (error: { stdout: string }) => error.stdout,
      );
    expect(await check('echo.mts')).toBe('');
    expect(await check('wrong.mts')).toContain('error TS');
  });
});
