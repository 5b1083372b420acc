import { describe, expect, it } from 'vitest';
import type { Message } from '../../contract/conversations.js';
import { EXPORT_FORMATS, type ExportFormat, type FindRating, transcript } from './transcript.js';

const TOKEN = `mk_${'a'.repeat(43)}`;
const FACTS = { conv: 'conv-1', title: 'Lights', member: 'developer', created_at: 'NOON' };
const said = (facts: Partial<Message>) =>
  ({ turn: 't', role: 'user', text: 'Why?', calls: [], citations: [], created_at: 'NOW', ...facts }) as Message;
const place = (path: string) =>
  ({ path, start_line: 1, end_line: 2, status: 'checked', quote: `key ${TOKEN}` }) as Message['citations'][number];
const call = (target: string, output?: string) =>
  ({ id: '1', name: 'Read', target, state: 'done', ...(output === undefined ? {} : { output }) }) as const;

const write = (
  messages: Message[],
  format: ExportFormat = 'md',
  facts: Partial<typeof FACTS> | { member: null } = {},
  findRating: FindRating = () => undefined,
) => [...transcript({ ...FACTS, ...facts }, messages, format, findRating)].join('');

describe('a conversation as Markdown', () => {
  it('has its title, its member and time, and each message under who wrote it', () => {
    const answer = { role: 'assistant' as const, text: 'So.', calls: [call('a.ts'), call('b.ts')] };
    expect(write([said({}), said({ ...answer, citations: [place('a.ts'), place('b.ts')] })])).toBe(
      '# Lights\n\ndeveloper, since NOON\n' +
        '\n## You, NOW\n\nWhy?\n' +
        '\n## developer, NOW\n\n- Read a.ts\n- Read b.ts\n\nSo.\n\n- a.ts:1-2 (checked)\n- b.ts:1-2 (checked)\n',
    );
  });

  it.each([
    [{ from_outside: true, asked_by: 'guide' }, 'A program'],
    [{ asked_by: 'guide' }, 'guide'],
    [{}, 'You'],
    [{ role: 'assistant' }, 'developer'],
    [{ role: 'system' }, 'system'],
  ] as const)('names the writer of message %#', (facts, speaker) => {
    expect(write([said(facts)])).toContain(`\n## ${speaker}, NOW\n\nWhy?\n`);
  });

  it('calls the one who answers an agent where there is no member', () => {
    const text = write([said({ role: 'assistant' })], 'md', { member: null });
    expect(text).toContain('\n\nno member, since NOON\n');
    expect(text).toContain('## Agent, NOW');
  });

  it.each([
    ['up', '', 'Rated good'],
    ['down', ' Wrong\n\n file ', 'Rated bad: Wrong file'],
    ['down', `see ${TOKEN}`, 'Rated bad: see [redacted]'],
  ] as const)('tells on one line that an answer was rated %s', (value, note, line) => {
    const text = write([said({}), said({ role: 'assistant' })], 'md', {}, () => ({ value, note }));
    expect(text.split('\n').filter((one) => one.startsWith('Rated'))).toEqual([line]);
    expect(text.endsWith(`\n\nWhy?\n\n${line}\n`)).toBe(true);
  });
});

it('a conversation as lines of JSON has one message in each', () => {
  const lines = write([said({}), said({ text: 'And?' })], 'jsonl').split('\n');
  expect(lines.map((line) => line && (JSON.parse(line) as Message).text)).toEqual(['Why?', 'And?', '']);
});

it('a conversation as a page escapes all that was written', () => {
  const message = said({ text: 'a < b', asked_by: '<guide>', citations: [place('<a>.ts'), place('b.ts')] });
  expect(write([message, said({})], 'html', { title: '<b>', member: '<m>' })).toBe(
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>&lt;b&gt;</title></head><body>' +
      '<h1>&lt;b&gt;</h1><p>&lt;m&gt;, since NOON</p>\n' +
      '<section><h2>&lt;guide&gt;, <time>NOW</time></h2><pre>a &lt; b</pre>' +
      '<ul><li>&lt;a&gt;.ts:1-2 (checked)</li><li>b.ts:1-2 (checked)</li></ul></section>\n' +
      '<section><h2>You, <time>NOW</time></h2><pre>Why?</pre></section>\n</body></html>\n',
  );
});

it.each(['md', 'jsonl', 'html'] as const)('no format has a secret: %s', (format) => {
  const secret = said({
    ...{ text: `the key ${TOKEN}`, calls: [call(`cat ${TOKEN}`, `was ${TOKEN}`), call('a.ts')] },
    citations: [place('a.ts')],
  });
  const text = write([secret], format, { title: `On ${TOKEN}` }, () => ({ value: 'up', note: TOKEN }));
  expect(text).not.toContain(TOKEN);
  expect(text).toContain('the key [redacted]');
});

it('a call without an output gets none, and a quote keeps its other words', () => {
  const line = write([said({ calls: [call('a.ts'), call('b.ts', 'was')], citations: [place('a.ts')] })], 'jsonl');
  const { calls, citations } = JSON.parse(line) as Message;
  expect(calls).toEqual([call('a.ts'), call('b.ts', 'was')]);
  expect(citations).toEqual([{ ...place('a.ts'), quote: 'key [redacted]' }]);
});

it('formats are served with their types', () => {
  expect(EXPORT_FORMATS).toEqual({
    md: 'text/markdown; charset=utf-8',
    jsonl: 'application/jsonl; charset=utf-8',
    html: 'text/html; charset=utf-8',
  });
});
