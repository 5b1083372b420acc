import { expect, it } from 'vitest';
import { foldPath } from './fold-path.js';

it.each([
  ['.mesh/Team/a.MD', '.mesh/team/a.md'],
  ['.me\u017fh', '.mesh'],
  ['.v\u017fcode/x', '.vscode/x'],
  ['\u212aey', 'key'],
  ['Stra\u00dfe', 'strasse'],
  ['STRA\u1e9eE', 'strasse'],
  ['con\ufb01g', 'config'],
  ['.\uff47it', '.git'],
  ['.g\u200cit', '.git'],
  ['e\u0301', 'e\u0301'],
  ['\u00c9', '\u00e9'],
  ['a\uff0fb', 'a_b'],
  ['', ''],
])('folds %j to %j', (path, folded) => {
  expect(foldPath(path)).toBe(folded);
});
