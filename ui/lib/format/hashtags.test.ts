import { describe, expect, it } from 'vitest';
import { splitTags, tagged } from './hashtags.js';

describe('hashtags', () => {
  it.each([
    ['no tag', ['no tag']],
    ['see #sale, and #p_0123456789abcdef.', ['see ', 'sale', ', and ', 'p_0123456789abcdef', '.']],
    ['#a', ['', 'a', '']],
    ['#sale- and #sale_', ['', 'sale', '- and ', 'sale', '_']],
    ['a#b ##c &#39; https://x.example/#d', ['a#b ##c &#39; https://x.example/#d']],
  ])('are split from the text: %j', (text, parts) => expect(splitTags(text)).toEqual(parts));

  it('are not marked in links and code', () => {
    const text = (value: string) => ({ type: 'text', value });
    const link = { type: 'element', tagName: 'a', children: [text('#sale')] };
    const code = { type: 'element', tagName: 'code', children: [text('#sale')] };
    const tree = {
      type: 'root',
      children: [{ type: 'element', tagName: 'p', children: [text('#sale '), link, code] }],
    };
    tagged()(tree);
    expect(tree.children[0]?.children).toEqual([
      text(''),
      { type: 'element', tagName: 'data', properties: { value: 'sale' }, children: [] },
      text(' '),
      link,
      code,
    ]);
  });
});
