import { describe, expect, it } from 'vitest';
import type { ClientSettings } from '../../features/clients/setup/client-settings.js';
import { testApp } from '../../testing/apps/test-app.js';
import { aDesk } from '../../testing/command-cases/command-case.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { atTerminal, beFound } from '../../testing/processes/command-line.js';
import { answers, ScriptedAgent } from '../../testing/processes/scripted-agent.js';

const KEY = 'stand-in-key-7Yq2';

/** An endpoint that is ready once it is set, and whose model `bad` does not answer. */
function anEndpoint({ endpoint }: ClientSettings): ScriptedAgent {
  const agent = new ScriptedAgent('api', async function* () {
    if (endpoint?.model === 'bad') throw new Error('It knows no model `bad`.');
    yield* answers('ready');
  });
  agent.probe = async () => ({ ready: endpoint !== undefined, reason: 'No endpoint is set.' }) as never;
  agent.models = () => (endpoint ? [endpoint.model || 'llama-1'] : []);
  return agent;
}

async function desk() {
  const seen: ClientSettings[] = [];
  const create = (settings: ClientSettings) => {
    seen.push(settings);
    return [anEndpoint(settings)];
  };
  const app = await testApp({ clock: new FakeClock(Date.now()), machine: { create } });
  beFound(app);
  return { ...aDesk(app.root), root: app.root, seen };
}

const ENDPOINT = ['endpoint', '--provider', 'openai-compatible', '--url', 'https://models.example/v1'];

describe('meshd clients', () => {
  it('lists with `ls` what is ready, and says when no model is connected', async () => {
    const { meshd } = await desk();
    const plain = await meshd(['clients', 'ls']);
    expect(plain.out).toMatch(/^builtin \* +ready/m);
    expect(plain.err).toContain('No model connected: search only.');
    expect(JSON.parse((await meshd(['clients', 'ls', '--json'])).out)).toMatchObject({ model_connected: false });
  });

  it('tests a way with `test`, and exits with 1 and the reason when it does not answer', async () => {
    const { meshd, seen } = await desk();
    const passed = await meshd(['clients', 'test', ...ENDPOINT, '--model', 'large', '--with-key'], `${KEY}\n`);
    expect([passed.exit, passed.out]).toEqual([0, expect.stringMatching(/^api answered in \d+ ms: ready\n$/)]);
    expect(seen.at(-1)?.endpoint?.api_key).toBe(KEY);
    const failed = await meshd(['clients', 'test', ...ENDPOINT, '--model', 'bad']);
    expect([failed.exit, failed.out, failed.err]).toEqual([1, '', 'It knows no model `bad`.\n']);
    const json = await meshd(['clients', 'test', ...ENDPOINT, '--model', 'bad', '--json']);
    expect([json.exit, JSON.parse(json.out)]).toEqual([1, expect.objectContaining({ state: 'failed' })]);
  });

  it('does not show a key that is typed at the terminal', async () => {
    const { root, seen } = await desk();
    const type = async (typed: string) => {
      const session = atTerminal(root, 'clients', 'test', ...ENDPOINT, '--model', 'large', '--with-key');
      await session.until('err', /Paste the key, which is not shown, and press Enter: /);
      session.type(typed);
      return { exit: await session.exit, shown: session.out + session.err };
    };
    const { exit, shown } = await type(`${KEY}\r`);
    expect([exit, seen.at(-1)?.endpoint?.api_key]).toEqual([0, KEY]);
    expect(shown).not.toContain(KEY.slice(0, 5));
    expect(await type(`${KEY}\u0003`)).toEqual({ exit: 130, shown: expect.not.stringContaining(KEY.slice(0, 5)) });
  });

  it.each([
    ['--provider', 'openai-compatible'],
    ['--url', 'https://models.example/v1'],
    ['--model', 'large'],
    ['--ollama-port', '11434'],
    ['--with-key'],
  ])('refuses %s with a program, which has settings of its own', async (...option) => {
    const { meshd, seen } = await desk();
    const refused = await meshd(['clients', 'use', 'claude', ...option], KEY);
    const said = `meshd: ${option[0]} is for endpoint and ollama: the program claude has settings of its own.\n`;
    expect([refused.exit, refused.out, refused.err]).toEqual([2, '', said]);
    expect(seen.filter(({ endpoint }) => endpoint)).toEqual([]);
  });

  it('saves with `use`, for all or for one, never prints the key, and undoes it with `forget`', async () => {
    const { meshd } = await desk();
    const one = await meshd(['clients', 'use', ...ENDPOINT, '--model', 'large', '--member', 'developer']);
    expect(one.out).toMatch(/^Members on auto run on builtin\.\nEndpoint: .*, large, no key\.\n$/);
    expect((await meshd(['team', 'show', 'developer', '--json'])).out).toContain('"client": "api"');
    const all = await meshd(['clients', 'use', ...ENDPOINT, '--model', 'large', '--with-key', '--json'], KEY);
    expect(JSON.parse(all.out)).toMatchObject({ auto: 'api', endpoint: { has_key: true } });
    expect(all.out + all.err).not.toContain(KEY);
    expect((await meshd(['clients', 'forget'])).out).toBe('No model connected: search only.\n');
  });

  it('lists with `models` those of Ollama', async () => {
    const { meshd } = await desk();
    expect(await meshd(['clients', 'models'])).toMatchObject({ exit: 0, out: 'llama-1\n' });
  });

  it('says with `models` and `use ollama` how Ollama gives a model enough context', async () => {
    const { meshd } = await desk();
    for (const words of [['models'], ['use', 'ollama', '--model', 'llama-1']])
      expect((await meshd(['clients', ...words])).err).toContain('`OLLAMA_CONTEXT_LENGTH=64000 ollama serve`');
    expect((await meshd(['clients', 'use', ...ENDPOINT, '--model', 'large'])).err).toBe('');
    expect((await meshd(['clients', 'models', '--json'])).err).toBe('');
  });

  it.each([
    [['test', 'gemini'], 'gemini'],
    [['test', 'chatbot'], '"chatbot" is not one of claude, '],
    [['use', 'ollama'], 'model'],
    [['test', 'ollama', '--ollama-port', 'x'], '--ollama-port'],
    [['test', ...ENDPOINT, '--model', 'large', '--with-key'], '--with-key reads the key from stdin'],
  ])('%j is refused with what was typed', async (words, message) => {
    const { meshd } = await desk();
    const { exit, err } = await meshd(['clients', ...words]);
    expect(exit).toBe(2);
    expect(err).toContain(message);
    expect(err).not.toContain(KEY);
  });
});

describe('meshd talk', () => {
  it('with a member that works says that it cannot yet, and which command searches instead', async () => {
    const { meshd } = await desk();
    const { exit, out, err } = await meshd(['talk', 'developer', "Mend the lamp's test"]);
    expect([exit, out]).toEqual([7, '']);
    expect(err).toContain('It cannot work yet, because no model is connected');
    expect(err).toContain(`meshd talk consultant 'Mend the lamp'\\''s test'`);
  });
});
