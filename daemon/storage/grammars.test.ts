import { expect, it } from 'vitest';
import { type GrammarName, readGrammar } from './grammars.js';

const MAGIC = [0x00, 0x61, 0x73, 0x6d];

it.each<GrammarName>(['core', 'typescript', 'c-sharp'])('reads the WebAssembly program %s', (name) => {
  expect([...readGrammar(name).subarray(0, 4)]).toEqual(MAGIC);
});

it('throws for a grammar that is not installed', () => {
  expect(() => readGrammar('cobol' as GrammarName)).toThrow('tree-sitter-cobol');
});
