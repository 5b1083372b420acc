import { describe, expect, it } from 'vitest';
import type { AgentFormat } from '../../contract/imports.js';
import { sha256Hex } from '../../lib/crypto/digests.js';
import { writeAgent } from './agent-text.js';
import type { Data, Place, SharedKeys } from './foreign-agent.js';
import type { MemberContent, Origin } from './imported-member.js';

const place = (format: AgentFormat, entry: string | null = null): Place => ({
  ...{ format, scope: 'project', path: 'x', entry },
});

function member(body: string, keys: SharedKeys = {}, origin?: Partial<Origin>, all: Data = {}): MemberContent {
  const nowhere = { ...place('claude'), sha256: '', imported_sha256: '', tight: false, redacted: false };
  const whole = { ...nowhere, body_sha256: sha256Hex(body), ignored: undefined, ...origin };
  return { all: { ...keys, ...all }, keys, body, origin: origin && whole };
}

const write = (format: AgentFormat, of: MemberContent, original?: string) =>
  writeAgent('some-id', of, place(format), original, undefined);

describe('a new file', () => {
  it('has the keys that the tool needs', () => {
    expect(write('claude', member('Look.\n')).content).toBe('---\nname: some-id\ndescription: Look.\n---\n\nLook.\n');
    expect(write('copilot', member('Look.\n')).content).toBe('---\ndescription: Look.\n---\n\nLook.\n');
    expect(write('opencode', member('Look.\n')).content).toBe('Look.\n');
    expect(write('codex', member('Look.\n')).content).toBe(
      'name = "some-id"\ndescription = "Look."\ndeveloper_instructions = """\nLook.\n"""\n',
    );
  });

  it.each<[body: string, description: string]>([
    ['Look. Then tell.', 'Look.'],
    ['Really? Yes.', 'Really?'],
    ['Stop! Go.', 'Stop!'],
    ['See a.b for it. Then.', 'See a.b for it.'],
    ['No end', 'No end'],
    ['One.\nTwo.', 'One.'],
    ['# Title\n\n---\n```\n<tag>\n\n  Look. \n', 'Look.'],
    ['# Title\r\nLook here\r\nThen.', 'Look here'],
    ['# Title\n', 'Some Id'],
    ['', 'Some Id'],
    [`${'x'.repeat(500)}.`, `${'x'.repeat(399)}…`],
  ])('without a description is described by its first sentence: %#', (body, description) => {
    expect(write('cursor', member(body)).content).toContain(`\ndescription: ${description}\n`);
  });

  it('keeps its own description and is called by its name', () => {
    expect(write('cursor', member('Look.', { description: 'D' })).content).toContain('\ndescription: D\n');
    expect(write('cursor', member('', { name: 'Ada' })).content).toContain('\ndescription: Ada\n');
    expect(write('cursor', member('', {}, undefined, { name: 3 })).content).toContain('\ndescription: Some Id\n');
    expect(write('claude', member('', {}, undefined, { vendor: { claude: { name: 'own' } } })).content).toContain(
      '---\nname: own\n',
    );
  });

  it('that returns to its tool has no keys that it did not have', () => {
    expect(write('claude', member('Look.\n', {}, {})).content).toBe('Look.\n');
    expect(write('cursor', member('Look.\n', {}, {})).content).toContain('name: some-id');
  });

  it('has its blank line as it had it', () => {
    const keys = { description: 'D' };
    expect(write('claude', member('B\n', keys, { tight: true })).content).toBe('---\ndescription: D\n---\nB\n');
    expect(write('claude', member('B\n', keys, { tight: false })).content).toBe('---\ndescription: D\n---\n\nB\n');
  });
});

describe('a file that was there', () => {
  const original = '---\ndescription: D # why\n---\nB\n';

  it('is the same while nothing differs, and else changes only there', () => {
    expect(write('claude', member('B\n', { description: 'D' }, {}), original).content).toBe(original);
    expect(write('claude', member('C\n', { description: 'D' }, {}), original).content).toBe(original.replace('B', 'C'));
    expect(write('claude', member('B\n', { description: 'E' }, {}), original).content).toBe(
      original.replace(': D', ': E'),
    );
  });

  it('is written anew when it cannot be read', () => {
    expect(write('claude', member('B\n', { description: 'D' }, {}), '---\na: [\n---\n').content).toBe(
      '---\ndescription: D\n---\n\nB\n',
    );
    expect(write('codex', member('B', { description: 'D' }, place('codex')), 'a = ').content).toBe(
      'description = "D"\ndeveloper_instructions = "B"\n',
    );
  });

  it('in TOML is the same while nothing differs', () => {
    const toml = "# why\ndescription = 'D'\ndeveloper_instructions = 'B'\n";
    const edit = (of: MemberContent, from = toml) => write('codex', of, from);
    const keys = { description: 'D' };
    expect(edit(member('B', keys, place('codex')))).toEqual({ content: toml, losses: [] });
    for (const of of [member('C', keys, place('codex')), member('B', { description: 'E' }, place('codex'))])
      expect(edit(of).losses.map(({ key }) => key)).toEqual(['comments']);
    expect(edit(member('C', keys, place('codex')), toml.replace('# why\n', '')).losses).toEqual([]);
    expect(edit(member('C', keys, place('codex')), toml.replace('# why\n', 'x = "a # b" # c\n')).losses).toEqual([]);
  });
});

describe('what is lost', () => {
  it('is what the tool cuts off a prompt', () => {
    const why = 'Copilot reads 30000 characters of a prompt; this one has 30001.';
    expect(write('copilot', member('x'.repeat(30_001), { description: 'D' })).losses).toEqual([{ key: 'body', why }]);
    expect(write('copilot', member('x'.repeat(30_000), { description: 'D' })).losses).toEqual([]);
    expect(write('cursor', member('x'.repeat(30_001), { description: 'D' })).losses).toEqual([]);
  });

  it('is the secrets that were not imported', () => {
    const why = 'Inline secrets were not imported: set the variables that stand in their place.';
    const of = (origin: Partial<Origin>) => member('B', { description: 'D' }, origin);
    expect(write('claude', of({ redacted: true })).losses).toEqual([{ key: 'secrets', why }]);
    expect([write('claude', of({})).losses, write('cursor', of({ redacted: true })).losses]).toEqual([[], []]);
  });

  it('comes after what the keys lose', () => {
    const { losses } = write('copilot', member('x'.repeat(30_001), { description: 'D', effort: 'low' }));
    expect(losses.map(({ key }) => key)).toEqual(['effort', 'body']);
  });
});

describe('an entry of opencode.json', () => {
  const entry = (of: MemberContent, current?: string, name = 'one') =>
    writeAgent('one', of, place('opencode', name), undefined, current).content;
  const plain = member('P', { description: 'D' }, place('opencode'));

  it('begins a file where there is none', () => {
    expect(entry(plain)).toBe(
      '{\n  "$schema": "https://opencode.ai/config.json",\n  "agent": {\n    "one": {\n' +
        '      "description": "D",\n      "prompt": "P"\n    }\n  }\n}\n',
    );
  });

  const value = '{\n      "description": "D",\n      "prompt": "P"\n    }';
  it.each<[title: string, current: string, written: string]>([
    ['stays where it is the same', '{"agent": {"one": {"prompt": "P", "description": "D"}}} // x', ''],
    [
      'takes the place of the old one',
      '{"agent": {"one": 3, "x": 1} } // x',
      `{"agent": {"one": ${value}, "x": 1} } // x`,
    ],
    ['comes before others', '{"agent": {"x": {} }, "y": 1}', `{"agent": {\n    "one": ${value},"x": {} }, "y": 1}`],
    ['is the first', '{"agent": { } , "y": 1}', `{"agent": {\n    "one": ${value}\n  } , "y": 1}`],
    ['comes with its folder', '{ "y": 1}', `{\n  "agent": {\n    "one": ${value}\n  }, "y": 1}`],
    ['is all there is', '{}\n', `{\n  "agent": {\n    "one": ${value}\n  }\n}\n`],
    ['follows a mark of the byte order', '\uFEFF{}', `\uFEFF{\n  "agent": {\n    "one": ${value}\n  }\n}`],
  ])('%s', (_title, current, written) => {
    expect(entry(plain, current)).toBe(written === '' ? current : written);
  });

  it.each(['[]', '3', '{"agent": []}', '{"agent": 3}'])('has no place in %s', (current) => {
    expect(() => entry(plain, current)).toThrow('The configuration must be an object, with an object under `agent`.');
  });

  it('of opencode 2 has no place in a list', () => {
    expect(() => entry(native({}, [deny]), '{"agents": []}')).toThrow('with an object under `agents`.');
  });

  const deny = { action: 'shell', resource: '*', effect: 'deny' };
  const tools = 'read search edit web agent todo ask'.split(' ');
  const native = (keys: SharedKeys, permissions: unknown[] = []) =>
    member('P', keys, place('opencode'), { vendor: { opencode: { permissions } } });

  it.each<[title: string, of: MemberContent, current: string | undefined, written: unknown]>([
    [
      'in its file',
      native({ tools }, [deny]),
      '{"agents": {"one": {"system": "Q"}}}',
      { system: 'P', permissions: [deny] },
    ],
    ['with another tool', native({ tools }), '{"agents": {"one": {}}}', { system: 'P', permissions: [deny] }],
    ['without a rule', native({ description: 'E' }), '{"agents": {"one": {}}}', { description: 'E', system: 'P' }],
    ['in a new file', native({ tools }, [deny]), undefined, { system: 'P', permissions: [deny] }],
    ['beside older ones', native({ tools }, [deny]), '{"agent": {"x": {}}}', { system: 'P', permissions: [deny] }],
    [
      'from the older form',
      member('P', { tools, effort: 'low' }),
      '{"agents": {"x": {}}}',
      {
        ...{ system: 'P', permissions: [deny] },
      },
    ],
  ])('of opencode 2 is written in its form: %s', (_title, of, current, written) => {
    expect(JSON.parse(entry(of, current)).agents.one).toEqual(written);
  });

  it('of the older form stays there, where only that form counts', () => {
    const kept = { vendor: { opencode: { disabled: true } } };
    const of = member('P', { tools, effort: 'low' }, place('opencode'), kept);
    expect(JSON.parse(entry(of, '{"agent": {"one": {"prompt": "Q"}}}'))).toEqual({
      agent: { one: { prompt: 'P', disabled: true, reasoningEffort: 'low', permission: { bash: 'deny' } } },
    });
  });

  it.each([
    '{"agents": {"one": {"system": "P", "description": "D"}}} // x',
    '{"agents": {"one": {"permissions": [], "system": "P", "description": "D"}}, "agent": {"one": {}}}',
  ])('of opencode 2 stays where it is the same: %s', (current) => {
    const of = member('P', { description: 'D' }, place('opencode'), { vendor: { opencode: { permissions: [] } } });
    expect(entry(of, current)).toBe(current);
  });

  it('is not written into what cannot be read', () => {
    const problem = { line: 2, column: 4, reason: 'A colon is expected here.' };
    expect(() => entry(plain, '{\n"a"}')).toThrow(
      expect.objectContaining({
        code: 'bad_request',
        message: 'The configuration cannot be read at line 2, column 4: A colon is expected here.',
        details: { problem },
      }),
    );
  });

  it('refers to its prompt in another file until that changes', () => {
    const prompt = ' {file:./a.md} ';
    const all = { vendor: { opencode: { prompt } } };
    const written = (of: MemberContent) => JSON.parse(entry(of)).agent.one;
    expect(written(member('P', {}, place('opencode'), all))).toEqual({ prompt });
    const edited = member('Q', {}, { ...place('opencode'), body_sha256: sha256Hex('P') }, all);
    expect(written(edited)).toEqual({ prompt: 'Q' });
    for (const other of ['x {file:a}', '{file:a} x', '{file:a', 3])
      expect(written(member('P', {}, place('opencode'), { vendor: { opencode: { prompt: other } } }))).toEqual({
        prompt: 'P',
      });
  });
});
