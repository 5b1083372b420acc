import { expect, it } from 'vitest';
import { getCallerName } from './caller-name.js';

it.each<[string, Parameters<typeof getCallerName>[0], string]>([
  ['the tests of the operator', { test: true, operator: true, user_agent: 'curl/8.5' }, 'your tests'],
  ['the operator', { operator: true, user_agent: 'meshd/1.0' }, 'you'],
  ['a caller that names no program', {}, 'unknown program'],
  ['an empty name', { user_agent: '' }, 'unknown program'],
  ['a name of blanks', { user_agent: '   ' }, 'unknown program'],
  ['a browser', { user_agent: 'Mozilla/5.0 (X11; Linux x86_64)' }, 'a browser'],
  ['a program that names Mozilla later', { user_agent: 'bot Mozilla/5.0' }, 'bot'],
  ['the first of several products', { user_agent: '  curl/8.5 libssl/3' }, 'curl/8.5'],
  ['a name that the operator has', { user_agent: 'you' }, '"you"'],
  ['a name that stands for many', { user_agent: 'others' }, '"others"'],
  ['a name with a control character', { user_agent: 'cu\u001brl/8' }, 'cu\\x1brl/8'],
  ['a name with a secret', { user_agent: `ghp_${'a1B2'.repeat(9)}` }, '[redacted]'],
  ['a name of 60 characters', { user_agent: '😀'.repeat(60) }, '😀'.repeat(60)],
  ['a longer name', { user_agent: '😀'.repeat(61) }, '😀'.repeat(60)],
])('counts %s under its name', (_what, caller, name) => {
  expect(getCallerName(caller)).toBe(name);
});
