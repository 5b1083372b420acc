// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { drawPart, removeAfterEach } from '../../../testing/drawn.js';
import { DiffBlock } from './diff-block.js';
import { HunkColors } from './hunk-colors.js';
import { HunkView } from './hunk-view.js';
import type { LineSelection } from './line-selection.js';
import { type Hunk, parsePatch } from './patch.js';

removeAfterEach();

const [HUNK] = parsePatch('@@ -1,2 +1,2 @@\n const a = 1;\n-const b = 2;\n+const b = 3;') as [Hunk];

it('comments on a line by a click, and on all up to it with Shift', async () => {
  const selected: unknown[] = [];
  const page = await drawPart(
    <DiffBlock
      {...{ rows: HUNK.rows, view: 'unified', colors: new HunkColors('a.ts', HUNK), chosen: undefined }}
      notesOf={() => null}
      select={(...chosen) => selected.push(chosen)}
    />,
  );
  await page.send(page.button('Comment on line 2'), 'click', { shiftKey: true });
  await page.send(page.button('Comment on line 2 before the change'), 'click', { shiftKey: false });
  expect(selected).toEqual([
    ['new', 2, { isExtending: true, isWriting: true }],
    ['old', 2, { isExtending: false, isWriting: true }],
  ]);
});

it('shows the notes of each line, also side by side', async () => {
  const drawNotes = async (view: 'unified' | 'split') =>
    (
      await drawPart(
        <DiffBlock
          {...{ rows: HUNK.rows, view, colors: new HunkColors('a.ts', HUNK), chosen: undefined }}
          notesOf={(side, line) => <p>{`[${side} ${line}]`}</p>}
          select={() => undefined}
        />,
      )
    )
      .words()
      .match(/\[[a-z]+ \d\]/g);
  expect(await drawNotes('split')).toEqual(['[old 1]', '[new 1]', '[old 2]', '[new 2]']);
  expect(await drawNotes('unified')).toEqual(['[new 1]', '[old 1]', '[old 2]', '[new 2]']);
});

it('comments on the first changed line of a hunk from its head', async () => {
  const selected: unknown[] = [];
  const lines: LineSelection = {
    ...{ selection: undefined, selectFile: () => undefined, clear: () => undefined },
    select: (...chosen) => selected.push(chosen),
  };
  const page = await drawPart(
    <HunkView
      {...{ path: 'a.ts', hunk: HUNK, at: 0, view: 'unified', lines, onRevert: undefined, isReverting: false }}
      notesOf={() => null}
    />,
  );
  await page.press('Comment on hunk 1 of a.ts');
  expect(selected).toEqual([['old', 2, { isExtending: false, isWriting: true }]]);
});
