// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { drawPart, removeAfterEach, stubDaemon } from '../../../testing/drawn.js';
import { RulesPanel } from './rules-panel.js';

removeAfterEach();

it('lists in a conversation only the rules that hold in it', async () => {
  const rule = (id: string, of: object) => ({
    ...{ rule: id, conv: null, member: null, title: '', uses: 0, last_used_at: null, match: 'tool', value: id },
    ...of,
  });
  const rules = [
    rule('Here', { scope: 'conversation', conv: 'conv-1' }),
    rule('There', { scope: 'conversation', conv: 'conv-2' }),
    rule('Mine', { scope: 'member', member: 'developer' }),
    rule('Theirs', { scope: 'member', member: 'deployer' }),
  ];
  stubDaemon(() => ({ body: { rules } }));
  const page = await drawPart(<RulesPanel of={{ conv: 'conv-1', member: 'developer' }} />);
  const words = page.words();
  expect(['Here', 'There', 'Mine', 'Theirs'].filter((name) => words.includes(name))).toEqual(['Here', 'Mine']);
});
