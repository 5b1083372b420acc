import { describe, expect, it } from 'vitest';
import { findRetired } from './scan.js';
import { TERMS, type Term } from './terms.js';

const hits = (source: string, path = 'ui/page.tsx', terms: readonly Term[] = TERMS) =>
  findRetired(path, source, terms).map(({ line, text, term }) => [line, text, term.write]);

describe('the glossary', () => {
  it('finds a retired term in strings, templates and JSX, with its line', () => {
    expect(hits("const title = 'Your rooms';")).toEqual([[1, 'Your rooms', 'cluster']]);
    expect(hits(['const f = (n: number) =>', '  `$', '{n} rooms are open`;'].join('\n').replace('$\n', '$'))).toEqual([
      [2, ' rooms are open', 'cluster'],
    ]);
    expect(hits('const page = (\n  <p>\n    This room\n    is gone\n  </p>\n);')).toEqual([
      [3, 'This room is gone', 'cluster'],
    ]);
    expect(hits("const tab = 'Front door';")).toEqual([[1, 'Front door', 'API access, exposed, internal']]);
  });

  it('ignores keys, routes, imports and command names', () => {
    expect(hits("import './rooms.js';\nconst key = ['rooms'];\nconst to = '/rooms/$id';")).toEqual([]);
    expect(hits("const example = 'meshd cluster rooms --json';", 'daemon/cli/clusters/cluster.ts')).toEqual([]);
    expect(hits("const example = 'about: Rooms to let.';", 'daemon/cli/clusters/board.ts')).toEqual([]);
  });

  it('searches a term only within its paths', () => {
    const [source, wire] = ["const label = 'Find';", "const hint = 'Make it with POST /wallets.';"];
    expect(hits(source)).toHaveLength(1);
    expect(hits(source, 'daemon/cli/agents/find.ts')).toEqual([]);
    expect(hits(wire)).toEqual([]);
    expect(hits(wire, 'daemon/cli/agents/wallet.ts')).toHaveLength(1);
  });

  it('distinguishes identifiers from text', () => {
    const terms: Term[] = [{ scope: 'identifier', retired: /^houseAgent/, write: 'selfRegistration' }];
    const source = "const houseAgents = 1;\nconst text = 'houseAgents are here';";
    expect(hits(source, 'daemon/main.ts', terms)).toEqual([[1, 'houseAgents', 'selfRegistration']]);
  });

  it('has no pattern with the global or sticky flag', () => {
    expect(TERMS.filter(({ retired }) => retired.global || retired.sticky)).toEqual([]);
  });
});
