import { describe, expect, it } from 'vitest';
import type { AgentFormat } from '../../contract/imports.js';
import { sha256Hex } from '../../lib/crypto/digests.js';
import { jcs } from '../../lib/crypto/jcs.js';
import type { FileState } from '../../storage/members/markdown-folder.js';
import type { Place } from './foreign-agent.js';
import { type Found, isUsable, readEntries, readFile } from './found-agents.js';

const KEY = 'sk-0123456789abcdefghij';
const text = (of: string): FileState => ({ kind: 'text', text: of, revision: 'r1' });
const unreadable: FileState = {
  ...{ kind: 'unreadable', revision: 'r2' },
  problem: { line: 1, column: 1, reason: `It is a link to ${KEY}.` },
};
const place = (format: AgentFormat, path: string): Place => ({ format, scope: 'project', path, entry: null });
const read = (format: AgentFormat, path: string, of: string) => readFile(place(format, path), text(of));

function usable(found: Found | undefined) {
  if (!found || !isUsable(found)) throw new Error('It is not usable.');
  return found;
}

describe('a file of one agent', () => {
  it('is an agent with its prompt', () => {
    const of = '---\nname: Ada B\ndescription: D\n---\n\nLook.\n';
    const found = usable(read('claude', '.claude/agents/x.md', of));
    expect(found).toMatchObject({
      ...{ place: place('claude', '.claude/agents/x.md'), sha256: 'r1', text: of, id: 'ada-b' },
      agent: { data: { name: 'Ada B', description: 'D' }, body: 'Look.\n' },
      reading: { keys: { description: 'D' }, notes: [] },
    });
    const toml = 'name = "c x"\ndeveloper_instructions = "Look."\n';
    expect(usable(read('codex', '.codex/agents/x.toml', toml))).toMatchObject({
      ...{ id: 'c-x', text: toml, agent: { data: { name: 'c x' }, body: 'Look.' }, reading: { notes: [] } },
    });
  });

  it.each<[title: string, format: AgentFormat, path: string, name: string, id: string]>([
    ['its name', 'claude', '.claude/agents/x-y.md', 'name: Ada', 'ada'],
    ['its file without one', 'claude', '.claude/agents/x-y.md', 'other: 1', 'x-y'],
    ['its file with an empty one', 'claude', '.claude/agents/x-y.md', 'name: "  "', 'x-y'],
    ['its file with a number', 'claude', '.claude/agents/x-y.md', 'name: 3', 'x-y'],
    ['its file where names are for people', 'copilot', '.github/agents/x-y.agent.md', 'name: Ada', 'x-y'],
  ])('has the id of %s', (_title, format, path, name, id) => {
    expect(usable(read(format, path, `---\n${name}\n---\n\nB\n`)).id).toBe(id);
  });

  it('has the note of what was mended before those of its keys', () => {
    const { reading } = usable(read('claude', '.claude/agents/x.md', '---\ndescription: a: b\nhooks: x\n---\n\nB\n'));
    expect(reading.notes).toEqual([expect.stringMatching(/^A line holds/), 'hooks: Never run here.']);
  });

  it.each<[title: string, format: AgentFormat, path: string, of: string, state: string, reason: string | RegExp]>([
    ['broken YAML', 'claude', 'a.md', '---\na: [\n---\n', 'unreadable', /^Line \d+, column \d+: \S/],
    ['broken TOML', 'codex', 'a.toml', 'a = ', 'unreadable', /^Line 1, column \d+: \S/],
    [
      'no prompt',
      ...(['codex', 'a.toml', 'a = 1', 'not_a_member'] as const),
      'It has no `developer_instructions`: there is no prompt to take.',
    ],
    [
      'a list of remote agents',
      ...(['gemini', 'a.md', '---\n- name: far\n- name: away\n---\n', 'not_a_member'] as const),
      'It is a list of remote agents (far, away): keep them as contacts of the directory instead.',
    ],
    [
      'a long list of remote agents',
      ...(['gemini', 'a.md', `---\n- name: ${'x'.repeat(300)}\n---\n`, 'not_a_member'] as const),
      `It is a list of remote agents (${'x'.repeat(200)}): keep them as contacts of the directory instead.`,
    ],
    ['a list for another tool', 'claude', 'a.md', '---\n- name: far\n---\n', 'unreadable', /^Line /],
    [
      'a remote agent',
      ...(['gemini', 'a.md', '---\nkind: remote\n---\n', 'not_a_member'] as const),
      /^It is a remote agent: /,
    ],
    [
      'no frontmatter',
      ...(['claude', 'a.md', 'B\n', 'not_a_member'] as const),
      'It has no frontmatter, so it is a text beside the agents and none itself.',
    ],
    ...['README.md', 'agent/AGENTS.md', 'agent/claude.md'].map(
      (path) => ['a text beside agents', 'opencode', path, 'B\n', 'not_a_member', /^It has no frontmatter/] as const,
    ),
  ] as [string, AgentFormat, string, string, string, string | RegExp][])(
    'with %s is none',
    (_title, format, path, of, state, reason) => {
      expect(read(format, path, of)).toEqual({
        ...{ place: place(format, path), sha256: 'r1', state },
        reason: typeof reason === 'string' ? reason : expect.stringMatching(reason),
      });
    },
  );

  it.each(['.opencode/agent/x.md', '.opencode/agent/MYREADME.md', '.opencode/agent/README.md.md', 'agent/CLAUDE2.md'])(
    'without frontmatter is one for opencode: %s',
    (path) => {
      expect(usable(read('opencode', path, 'B\n')).agent.body).toBe('B\n');
    },
  );

  it('that cannot be read is told without a secret', () => {
    const found = readFile(place('claude', 'a.md'), unreadable);
    expect(found).toMatchObject({
      sha256: 'r2',
      state: 'unreadable',
      reason: expect.stringMatching(/^It is a link to /),
    });
    expect(JSON.stringify(found)).not.toContain(KEY);
  });
});

describe('a file of several agents', () => {
  const file = { format: 'opencode', scope: 'project', path: 'opencode.json' } as const;
  const prompts = new Map([['a.md', 'Look.\n']]);
  const asked: string[] = [];
  const entries = (state: FileState) =>
    readEntries(file, state, async ({ entry }, reference) => {
      asked.push(`${entry} ${reference}`);
      return prompts.get(reference) ?? { line: 1, column: 1, reason: 'There is no such file.' };
    });
  const entry = async (data: object) => (await entries(text(JSON.stringify({ agent: { one: data } }))))[0] as Found;

  it('has each of them by its key', async () => {
    const data = { prompt: 'P', description: 'D' };
    const found = usable(await entry(data));
    expect(found).toMatchObject({
      ...{ place: { ...file, entry: 'one' }, sha256: sha256Hex(jcs(data)), text: undefined, id: 'one' },
      agent: { data: { description: 'D' }, body: 'P' },
    });
    expect(found.agent.data).not.toHaveProperty('prompt');
    expect(await entries(text('{"agent": {"a": {"prompt": "A"}, "b": {"prompt": "B"}}}'))).toHaveLength(2);
    expect(await entries(text('{}'))).toEqual([]);
  });

  it('has a prompt of another file, which belongs to its state', async () => {
    for (const prompt of ['{file:a.md}', ' {file: a.md }\n']) {
      const data = { prompt };
      expect(usable(await entry(data))).toMatchObject({
        ...{ sha256: sha256Hex(`${sha256Hex(jcs(data))}Look.\n`), agent: { data, body: 'Look.\n' } },
        reading: { notes: ['The prompt is that of a.md.'] },
      });
    }
    expect(asked).toContain('one a.md');
    for (const prompt of ['x {file:a.md}', '{file:a.md} x', '{file:a.md', '{files:a.md}', '{file:a}b.md}'])
      expect(usable(await entry({ prompt })).agent.body).toBe(prompt);
  });

  it.each<[prompt: unknown, state: string, reason: string]>([
    [3, 'unreadable', '`prompt` must be a text.'],
    [null, 'unreadable', '`prompt` must be a text.'],
    [undefined, 'not_a_member', 'It has no `prompt`: it only changes settings of an agent that the tool brings along.'],
    ['{file:none.md}', 'unreadable', 'The prompt in none.md: There is no such file.'],
    [`{file:${'x'.repeat(201)}}`, 'unreadable', `The prompt in ${'x'.repeat(200)}: There is no such file.`],
  ])('%# is no agent', async (prompt, state, reason) => {
    expect(await entry({ prompt })).toMatchObject({ place: { ...file, entry: 'one' }, state, reason });
  });

  it('has those of opencode 2 under their own keys', async () => {
    const permissions = [{ action: 'edit', resource: '*', effect: 'deny' }];
    const agents = { one: { system: 'P', permissions }, two: { system: '{file:a.md}' }, three: { prompt: 'P' } };
    const found = await entries(text(JSON.stringify({ agents, agent: { one: { prompt: 'Old' } } })));
    expect(found).toMatchObject([
      { place: { ...file, entry: 'one' }, agent: { data: { permissions }, body: 'P' } },
      { place: { ...file, entry: 'two' }, agent: { data: { system: '{file:a.md}' }, body: 'Look.\n' } },
      { state: 'not_a_member', reason: expect.stringMatching(/^It has no `system`: /) },
    ]);
    expect(usable(found[0] as Found).reading.keys.tools).not.toContain('edit');
    expect(await entries(text('{"agents": {"one": {"system": 3}}}'))).toMatchObject([
      { state: 'unreadable', reason: '`system` must be a text.' },
    ]);
  });

  it('is told as a whole when it cannot be read', async () => {
    const whole = { place: { ...file, entry: null }, state: 'unreadable' };
    expect(await entries(unreadable)).toEqual([{ ...whole, sha256: 'r2', reason: `It is a link to ${KEY}.` }]);
    expect(await entries(text('{\n"agent": x}'))).toEqual([
      { ...whole, sha256: 'r1', reason: 'Line 2, column 10: A value is expected here.' },
    ]);
  });
});
