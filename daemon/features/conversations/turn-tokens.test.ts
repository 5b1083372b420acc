import { expect, it } from 'vitest';
import { TurnTokens } from './turn-tokens.js';

it('the token of a turn names it until it ends, which is told once', () => {
  const tokens = new TurnTokens();
  const ended: string[] = [];
  tokens.onEnded((turn) => ended.push(`first ${turn}`));
  tokens.onEnded((turn) => ended.push(`second ${turn}`));
  const [one, two] = [tokens.begin('one'), tokens.begin('two')];
  expect(one.token).not.toBe(two.token);
  expect([tokens.find(one.token), tokens.find(two.token), tokens.find('x')]).toEqual(['one', 'two', undefined]);
  one.end();
  one.end();
  expect([tokens.find(one.token), tokens.find(two.token)]).toEqual([undefined, 'two']);
  expect(ended).toEqual(['first one', 'second one']);
});
