import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AGENT_FORMATS, type AgentFormat } from '../../contract/imports.js';
import { TOOLS } from '../../contract/team.js';
import { sha256Hex } from '../../lib/crypto/digests.js';
import { isProblem, parseMarkdown } from '../../storage/members/frontmatter.js';
import { AGENT_FOLDERS } from './agent-folders.js';
import { writeAgent } from './agent-text.js';
import type { Data, Place } from './foreign-agent.js';
import { markdownAgentText, readMarkdownAgent } from './foreign-markdown.js';
import { readTomlAgent, tomlAgentText } from './foreign-toml.js';
import { type FoundAgent, isUsable, readFile } from './found-agents.js';
import { isAsImported, type MemberContent, newMemberText, readMemberContent } from './imported-member.js';
import { isTight } from './imports.js';

const FIXTURES = fileURLToPath(new URL('./fixtures', import.meta.url));

interface Fixture {
  name: string;
  place: Place;
  text: string;
}

const getFolder = (format: AgentFormat) =>
  AGENT_FOLDERS.find((one) => one.format === format && one.scope === 'project')?.folder;

const fixtures: Fixture[] = AGENT_FORMATS.flatMap((format) =>
  readdirSync(join(FIXTURES, format), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(?:md|toml)$/.test(path))
    .sort()
    .map((path) => ({
      name: `${format}/${path}`,
      place: { format, scope: 'project' as const, path: `${getFolder(format)}/${path}`, entry: null },
      text: readFileSync(join(FIXTURES, format, path), 'utf8'),
    })),
);

function found({ place, text }: Pick<Fixture, 'place' | 'text'>): FoundAgent {
  const one = readFile(place, { kind: 'text', text, revision: sha256Hex(text) });
  if (!isUsable(one)) throw new Error(`${one.state}: ${one.reason}`);
  return one;
}

function imported(one: FoundAgent): MemberContent {
  const member = readMemberContent(newMemberText(one, isTight(one)));
  if (isProblem(member)) throw new Error(member.reason);
  return member;
}

/** Parses keys and prompt as the tool itself does: the prompt is every byte after the frontmatter. */
function parsed(format: AgentFormat, text: string): { data: Data; body: string } {
  if (format === 'codex') {
    const agent = readTomlAgent(text);
    if (isProblem(agent)) throw new Error(agent.reason);
    return agent;
  }
  const agent = readMarkdownAgent(text);
  if (isProblem(agent)) throw new Error(agent.reason);
  const below = /^\uFEFF?---\r?\n[\s\S]*?\n---[ \t]*\r?\n([\s\S]*)$/.exec(agent.text)?.[1] ?? agent.text;
  // Normalizes the line end after the fence, which belongs to the frontmatter.
  return { data: agent.data, body: below.replace(/^\r?\n/, '\n') };
}

describe('an agent of another tool', () => {
  it('exists in every format, with at least sixty fixtures', () => {
    expect(fixtures.length).toBeGreaterThanOrEqual(60);
    expect(new Set(fixtures.map(({ place }) => place.format))).toEqual(new Set(AGENT_FORMATS));
  });

  it.each(fixtures)('is exported byte for byte while nothing is edited: $name', (fixture) => {
    const one = found(fixture);
    const member = imported(one);
    expect(isAsImported(member)).toBe(true);
    expect(member.body).toBe(one.agent.body);
    expect(writeAgent(one.id, member, fixture.place, fixture.text, undefined).content).toBe(fixture.text);
  });

  it.each(fixtures)('is exported with the same keys and prompt when its bytes were lost: $name', (fixture) => {
    const one = found(fixture);
    const { content } = writeAgent(one.id, imported(one), fixture.place, undefined, undefined);
    expect(parsed(fixture.place.format, content)).toEqual(parsed(fixture.place.format, fixture.text));
  });

  it.each(fixtures)('keeps everything else when the member is edited: $name', (fixture) => {
    const one = found(fixture);
    const member = imported(one);
    const edited = { ...member, keys: { ...member.keys, description: 'Edited here.' }, body: 'Another prompt.\n' };
    const { content } = writeAgent(one.id, edited, fixture.place, fixture.text, undefined);
    const again = parsed(fixture.place.format, content);
    expect(again.data).toEqual({ ...parsed(fixture.place.format, fixture.text).data, description: 'Edited here.' });
    expect(again.body.trimStart()).toBe('Another prompt.\n');
  });
});

describe('an agent of opencode 2', () => {
  const fixture = fixtures.find(({ name }) => name === 'opencode/native-v2.md') as Fixture;
  const edit = (keys: MemberContent['keys']) => {
    const one = found(fixture);
    const member = imported(one);
    return writeAgent(one.id, { ...member, keys: { ...member.keys, ...keys } }, fixture.place, fixture.text, undefined);
  };
  const before = parsed('opencode', fixture.text).data;

  it('keeps its rules in force after an edit: no key that makes opencode read the file in its older form', () => {
    const { content, losses } = edit({ effort: 'low', description: 'Edited.' });
    expect(parsed('opencode', content).data).toEqual({ ...before, description: 'Edited.' });
    expect(losses).toEqual([{ key: 'effort', why: 'Left out: opencode has no word for "low".' }]);
  });

  it('gets rules for the tools that a member has no longer', () => {
    const { content, losses } = edit({ tools: ['read', 'search', 'web', 'agent', 'todo'] });
    const rules = before['permissions'] as unknown[];
    expect(parsed('opencode', content).data).toEqual({
      ...before,
      permissions: [...rules, { action: 'question', resource: '*', effect: 'deny' }],
    });
    expect(losses).toEqual([]);
  });
});

describe('a member that an earlier version imported', () => {
  it.each<[format: AgentFormat, data: Data, keys: MemberContent['keys']]>([
    ['opencode', { description: 'D', permissions: [{ action: 'edit', resource: '*', effect: 'deny' }] }, {}],
    ['claude', { name: 'some', description: 'D', disallowedTools: 'Bash(git push *)' }, { tools: [...TOOLS] }],
  ])('with other tools than today is still exported byte for byte: %s', (format, data, tools) => {
    const place: Place = { format, scope: 'project', path: `${getFolder(format)}/some.md`, entry: null };
    const text = markdownAgentText(data, 'B\n', false);
    const one = found({ place, text });
    const { tools: _now, ...keys } = one.reading.keys;
    const earlier = { ...one, reading: { ...one.reading, keys: { ...keys, ...tools }, vendor: data } };
    const member = imported(earlier);
    expect(writeAgent('some', member, place, text, undefined).content).toBe(text);
    const edited = { ...member, body: 'C\n' };
    expect(writeAgent('some', edited, place, text, undefined).content).toContain('C\n');
  });
});

describe('keys that a member does not have', () => {
  const scalar = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.integer(),
    fc.double({ noDefaultInfinity: true, noNaN: true }),
    fc.boolean(),
  );
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { depthSize: 'small' },
      scalar,
      fc.array(tie('any'), { maxLength: 4 }),
      fc.dictionary(fc.string(), tie('any'), { maxKeys: 4, noNullPrototype: true }),
    ),
  })).any;
  const keys = fc.dictionary(fc.string({ unit: 'grapheme', minLength: 1 }), value, {
    maxKeys: 6,
    noNullPrototype: true,
  });
  const same = (left: unknown, right: unknown) =>
    expect(JSON.parse(JSON.stringify(left))).toEqual(JSON.parse(JSON.stringify(right)));

  it('survive a round trip unchanged, whatever their value', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...AGENT_FORMATS.filter((format) => format !== 'codex')),
        keys,
        fc.string({ unit: 'grapheme' }),
        (format, data, body) => {
          const place: Place = { format, scope: 'project', path: `${getFolder(format)}/some.md`, entry: null };
          const text = markdownAgentText({ ...data, description: 'Some agent.' }, `${body}\n`, false);
          const one = readFile(place, { kind: 'text', text, revision: sha256Hex(text) });
          fc.pre(isUsable(one) && one.reading.secrets.length === 0);
          const { content } = writeAgent('some', imported(one as FoundAgent), place, undefined, undefined);
          const before = parseMarkdown(text);
          const after = parseMarkdown(content);
          if (isProblem(before) || isProblem(after)) throw new Error('unreadable');
          same(after.data, before.data);
          expect(after.body).toBe(before.body);
        },
      ),
      { numRuns: 120, seed: 20261121 },
    );
  });

  it('survive a round trip in TOML', () => {
    fc.assert(
      fc.property(keys, fc.string({ unit: 'grapheme' }), (data, body) => {
        const text = tomlAgentText({ ...data, name: 'some', description: 'Some agent.' }, body === '' ? 'x' : body);
        const place: Place = { format: 'codex', scope: 'project', path: '.codex/agents/some.toml', entry: null };
        const one = readFile(place, { kind: 'text', text, revision: sha256Hex(text) });
        fc.pre(isUsable(one) && one.reading.secrets.length === 0);
        const { content } = writeAgent('some', imported(one as FoundAgent), place, undefined, undefined);
        expect(readTomlAgent(content)).toEqual(readTomlAgent(text));
      }),
      { numRuns: 100, seed: 20261121 },
    );
  });
});

describe('an edited agent in TOML', () => {
  const edit = (text: string) => {
    const place: Place = { format: 'codex', scope: 'project', path: '.codex/agents/some.toml', entry: null };
    const member = imported(found({ place, text }));
    return writeAgent('some', { ...member, body: 'Another.' }, place, text, undefined);
  };

  it.each(['# At first.\n', '  # Set in.\n', '\t# After a tab.\n'])(
    'says that its comments are lost: %j',
    (comment) => {
      const { content, losses } = edit(`name = "some"\ndescription = "d"\n${comment}developer_instructions = "One."\n`);
      expect(losses).toContainEqual({
        key: 'comments',
        why: 'The comments of the TOML file are not kept once the member was edited.',
      });
      expect(content).not.toContain('#');
    },
  );

  it('says nothing of a number sign in a text', () => {
    const { losses } = edit('name = "some"\ndescription = "d # e"\ndeveloper_instructions = "One. # two"\n');
    expect(losses.filter(({ key }) => key === 'comments')).toEqual([]);
  });
});
