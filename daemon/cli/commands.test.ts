import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ClusterCreated } from '../contract/clusters.js';
import { aPayer, aSeller } from '../testing/apps/a-market.js';
import { ENTRY } from '../testing/apps/registering.js';
import { CLUSTERS } from '../testing/command-cases/cluster-cases.js';
import { aDesk, type CommandCase, type Desk, tryCommand } from '../testing/command-cases/command-case.js';
import { MONEY } from '../testing/command-cases/money-cases.js';
import { PROCESS, TEAM, WITHOUT_DAEMON } from '../testing/command-cases/project-cases.js';
import { AGENTS, ASKING, CANCELLING, WORK } from '../testing/command-cases/work-cases.js';
import { asksFirst, atTerminal, beFound, daemon, meshd, silent } from '../testing/processes/command-line.js';
import { heldAnswer, ScriptedAgent } from '../testing/processes/scripted-agent.js';
import { putFiles, temporaryFolder, temporaryRepository } from '../testing/temporary-folder.js';
import { everyCommand, getCommandPath } from './help/manual.js';
import { createProgram } from './program.js';

/**
 * Commands that have their own tests (a stream, a bridge, programs of the system), with the prefix of the names of
 * those test files.
 */
const ELSEWHERE: Readonly<Record<string, string>> = {
  acp: 'acp',
  adopt: 'adopt',
  'clients forget': 'clients',
  'clients ls': 'clients',
  'clients models': 'clients',
  'clients test': 'clients',
  'clients use': 'clients',
  'cluster watch': 'commands',
  events: 'events',
  ls: 'ls',
  mcp: 'mcp',
  'network copies': 'network',
  'network create': 'network',
  'network join': 'network',
  'network leave': 'network',
  'network members': 'network',
  'network share': 'network',
  'network unshare': 'network',
  'network restore': 'network',
  'network status': 'network',
  'service install': 'service',
  'service uninstall': 'service',
  'service status': 'service',
  'service logs': 'service',
  'team test': 'team-test',
  'telemetry off': 'telemetry',
  'telemetry set': 'telemetry',
  'telemetry show': 'telemetry',
  'telemetry test': 'telemetry',
};
const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const TESTS = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.test.ts'));

/** Whether a test file of its own runs the command. */
function isTriedElsewhere(path: string): boolean {
  const start = ELSEWHERE[path];
  const word = `'${path.split(' ').at(-1)}'`;
  return (
    start !== undefined &&
    TESTS.some((name) => basename(name).startsWith(start) && readFileSync(join(FOLDER, name), 'utf8').includes(word))
  );
}

const tryAll = async (desk: Desk, cases: readonly CommandCase[]) => {
  for (const one of cases) await tryCommand(desk, one);
};

describe('every command', () => {
  it('has a case for stdout, stderr, exit status and --json, or a test file of its own', () => {
    const cases = [WITHOUT_DAEMON, PROCESS, TEAM, WORK, ASKING, CANCELLING, AGENTS, MONEY, CLUSTERS].flat();
    const missing = everyCommand(createProgram(silent(), import.meta.url))
      .filter((command) => command.commands.length === 0)
      .map(getCommandPath)
      .filter((path) => !cases.some(({ command }) => command === path));
    const untested = missing.filter((path) => !isTriedElsewhere(path));
    expect(untested).toEqual([]);
  });

  it('without a daemon matches its case', async () => {
    await tryAll(
      aDesk(temporaryFolder({ '.mesh/STANDARD_VERSION': '28\n' }), { folder: temporaryFolder() }),
      WITHOUT_DAEMON,
    );
  });

  it('starts the daemon and stops it', async () => {
    const desk = aDesk(temporaryRepository({ 'README.md': '# x\n' }));
    onTestFinished(async () => void (await desk.meshd(['down'])));
    await tryAll(desk, PROCESS);
  });

  it('of the roster matches its case', async () => {
    const { root } = await daemon();
    putFiles(root, { '.claude/agents/scribe.md': '---\nname: scribe\ndescription: Writes.\n---\n\nWrite.\n' });
    await tryAll(aDesk(root), TEAM);
  });

  it('for working with members matches its case', async () => {
    const { root } = await daemon(new ScriptedAgent('acp', asksFirst));
    putFiles(root, { '.mesh/roadmap.md': '# Plan\n\n- [ ] angle: set the angle @developer\n- [ ] docs: say so\n' });
    await tryAll(aDesk(root), WORK);
  });

  it('for asking matches its case', async () => {
    const app = await daemon();
    await app.untilIndexed();
    const desk = aDesk(app.root, { file: join(app.root, 'record.json') });
    const [ask, ...others] = ASKING;
    await tryCommand(desk, ask as CommandCase);
    putFiles(app.root, { 'record.json': desk.kept['record'] ?? '' });
    await tryAll(desk, others);
  });

  it('for cancelling a request matches its case', async () => {
    const { root } = await daemon(new ScriptedAgent('acp', heldAnswer));
    await tryAll(aDesk(root), CANCELLING);
  });

  it('of agents matches its case', async () => {
    const { root } = await daemon();
    putFiles(root, { 'catalog.jsonl': `${JSON.stringify(ENTRY)}\n` });
    await tryAll(aDesk(root, { catalog: join(root, 'catalog.jsonl') }), AGENTS);
  });

  it('of payments matches its case', async () => {
    const payer = await aPayer({ caps: { per_call_lamports: 0, per_day_lamports: 0 } });
    beFound(payer.app);
    const { agent } = await aSeller(payer, { run: (input) => ({ painted: input['prompt'] ?? null }) });
    await tryAll(aDesk(payer.app.root, { url: agent.url }), MONEY);
  });

  it('of clusters matches its case', async () => {
    const app = await daemon();
    const { cluster_id, token } = (await app.call('POST', '/v1/clusters', { name: 'Foreign' })).body as ClusterCreated;
    const cases = CLUSTERS.map((one) => (one.stdin === undefined ? one : { ...one, stdin: `${token}\n` }));
    await tryAll(aDesk(app.root, { foreign: cluster_id }), cases);
  });
});

describe('cluster watch', () => {
  it('prints messages, and every frame with --json', async () => {
    const { root } = await daemon();
    await meshd(root, 'cluster', 'create', 'Town', '--public');
    const watching = ['--json', ''].map((more) =>
      atTerminal(root, 'cluster', 'watch', 'town', '--count', '1', ...[more].filter(Boolean)),
    );
    const [json, plain] = watching as [ReturnType<typeof atTerminal>, ReturnType<typeof atTerminal>];
    await Promise.all([json.until('out', /"ready"/), plain.until('err', /Nobody is here|Here:/)]);
    expect((await meshd(root, 'cluster', 'say', 'town', 'the lamp is lit', '--as', 'ada')).exit).toBe(0);
    expect([await json.exit, await plain.exit]).toEqual([0, 0]);
    expect(plain.out).toMatch(/ada: the lamp is lit\n$/);
    const frames = json.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { kind: string });
    expect(frames[0]).toMatchObject({ kind: 'ready' });
    expect(frames.at(-1)).toMatchObject({ kind: 'message', payload: 'the lamp is lit' });
    expect(json.err).toBe('');
  });
});
