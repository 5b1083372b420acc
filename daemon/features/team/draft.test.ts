import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isMemberId } from '../../lib/agents/member-id.js';
import { findSecret } from '../../lib/secrets/secrets.js';
import { type DraftDescription, templateDraft } from './draft.js';
import { newMemberText, requireGoodText } from './member-edits.js';

const draft = (text: string, rest: Partial<DraftDescription> = {}, taken: string[] = []) =>
  templateDraft({ text, name: undefined, emoji: undefined, ...rest }, (id) => taken.includes(id));

describe('templateDraft', () => {
  it.each([
    ['I need a database migration reviewer that checks SQL for locks.', 'Database Migration Reviewer'],
    ['A member called "Night Owl" that watches the nightly build.', 'Night Owl'],
    ['An agent named Clara who writes changelogs.', 'Clara'],
    ['Security auditor. Looks for secrets in commits.', 'Security Auditor'],
    ['The translator keeps our docs in French up to date.', 'Translator'],
    ['keep the changelog tidy', 'Keep Changelog Tidy'],
    ['我需要一个翻译', '我需要一个翻译'],
  ])('from %j derives the name %s', (text, name) => {
    expect(draft(text)).toMatchObject({ name, warnings: expect.arrayContaining([expect.stringContaining(name)]) });
  });

  it.each([
    ['Reviews pull requests. Never edits files.', ['read', 'search']],
    ['Fixes failing tests and runs them.', ['read', 'search', 'edit', 'execute']],
    ['A read-only auditor that tests ideas and writes nothing.', ['read', 'search']],
    ['Looks up upstream news on the internet, but must not run commands.', ['read', 'search', 'web']],
    [
      'Plans the backlog, delegates work and asks the operator when in doubt.',
      ['read', 'search', 'agent', 'todo', 'ask'],
    ],
    ['Answers questions without changing anything.', ['read', 'search']],
  ])('from %j derives the required tools', (text, tools) => {
    expect(draft(text).tools).toEqual(tools);
  });

  it('creates a singleton only when the text requires one, with a warning', () => {
    expect(draft('A tester that checks the forms.').kind).toBe('profile');
    expect(draft('A release captain; there is only one at any time.')).toMatchObject({
      kind: 'singleton',
      warnings: expect.arrayContaining([expect.stringContaining('singleton')]),
    });
  });

  it('keeps all statements, with duties and limits in their sections', () => {
    const { body, description, examples, agent_type } = draft(
      'I need a database migration reviewer. It checks every migration for locks.\n\n- Explain the safest ' +
        'order of steps\n- Never run a migration\nDo not touch production.',
    );
    expect(description).toBe('A database migration reviewer.');
    expect(agent_type).toBe('db');
    expect(examples?.length).toBeGreaterThanOrEqual(2);
    const [, limits = ''] = body.split('## Limits');
    expect(body).toContain('- Checks every migration for locks.');
    expect(body).toContain('- Explain the safest order of steps');
    expect(limits).toContain('- Never run a migration');
    expect(limits).toContain('- Do not touch production.');
    expect(body).toMatch(/^You are Database Migration Reviewer, a member of this project's team\.\n\n## Purpose/);
    for (const part of ['## How you work', '## A finished answer']) expect(body).toContain(part);
  });

  it('uses the given name and emoji, and a free id', () => {
    expect(draft('Checks forms for faults.', { name: 'Form Tester', emoji: '🧪' }, ['form-tester'])).toMatchObject({
      id: 'form-tester-2',
      name: 'Form Tester',
      emoji: '🧪',
    });
    expect(draft('A form tester that checks forms.', {}, ['form-tester'])).toMatchObject({
      id: 'form-tester-2',
      name: 'Form Tester 2',
    });
  });

  it('keeps the member internal and the default model, with warnings', () => {
    const { warnings, exposure, model } = draft('A public guide for other programs that runs on opus.');
    expect([exposure, model]).toEqual([undefined, undefined]);
    expect(warnings.join()).toContain('internal');
    expect(warnings.join()).toContain('strongest');
  });

  it('leaves out secrets', () => {
    const result = draft(
      `A deployer that uses ghp_${'a'.repeat(36)} and mk_${'b'.repeat(43)} and AKIA${'C'.repeat(16)} to ship.`,
    );
    expect(findSecret(JSON.stringify(result))).toBeUndefined();
    expect(result.warnings.join()).toContain('secret');
  });

  it('creates a valid member from any text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 600 }).filter((text) => text.trim() !== ''),
        (text) => {
          const { drafted_by, warnings, ...member } = draft(text.trim());
          expect(drafted_by).toBe('template');
          expect(Array.isArray(warnings)).toBe(true);
          expect(isMemberId(member.id)).toBe(true);
          expect(requireGoodText(member.id, newMemberText(member.id, member)).name).toBe(member.name);
        },
      ),
      { numRuns: 200, seed: 20261121 },
    );
  });

  it('takes less than a second for sixteen thousand characters', () => {
    for (const text of [
      'a '.repeat(8_000),
      'never '.repeat(2_600),
      'a-'.repeat(8_000),
      'the '.repeat(4_000),
      '. A'.repeat(5_000),
    ]) {
      const started = performance.now();
      draft(text);
      expect(performance.now() - started).toBeLessThan(1_000);
    }
  });
});
