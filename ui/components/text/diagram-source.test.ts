import { describe, expect, it } from 'vitest';
import { findDiagram, isCostlyDiagram } from './diagram-source.js';

describe('isCostlyDiagram', () => {
  it.each([
    ['a flowchart', `graph TD\n${'  Ask --> Answer\n'.repeat(100)}`],
    ['a few joined nodes', 'graph TD\n  a & b & c --> d & e'],
  ])('is false for %s', (_, source) => {
    expect(isCostlyDiagram(source)).toBe(false);
  });

  it.each([
    ['a long text', `graph TD\n  a[${'x'.repeat(3_000)}]`],
    ['many lines', `graph TD\n${'a\n'.repeat(120)}`],
    ['many edges on few lines', `graph TD\n  a${'-->b'.repeat(151)}`],
    ['an edge for each pair', `graph TD\n  a${' & b'.repeat(7)} --> c${' & d'.repeat(6)}`],
  ])('is true for %s', (_, source) => {
    expect(isCostlyDiagram(source)).toBe(true);
  });
});

describe('findDiagram', () => {
  const code = (className: unknown, ...children: object[]) => ({
    children: [{ tagName: 'code', properties: { className }, children }],
  });

  it('joins the pieces into which a long text was split', () => {
    const pieces = [{ children: [{ type: 'text', value: 'graph TD\n' }] }, { type: 'text', value: 'a --> b' }];
    expect(findDiagram(code(['language-mermaid'], ...pieces))).toBe('graph TD\na --> b');
  });

  it('returns undefined for other code', () => {
    expect(findDiagram(code(['language-ts'], { type: 'text', value: 'a' }))).toBeUndefined();
    expect(findDiagram(code(undefined))).toBeUndefined();
    expect(findDiagram(undefined)).toBeUndefined();
  });
});
