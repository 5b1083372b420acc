import { afterEach, expect, it, vi } from 'vitest';
import { declareAge, declaredAge } from '../../features/boards/rules/adult-word.js';
import { Drafts } from '../drafts.js';
import { getStorage } from './browser-storage.js';

const denied = () => {
  throw new DOMException('The operation is insecure.', 'SecurityError');
};
const deny = () =>
  vi.stubGlobal(
    'window',
    Object.defineProperties({}, { sessionStorage: { get: denied }, localStorage: { get: denied } }),
  );

afterEach(() => {
  vi.unstubAllGlobals();
});

it('the storage of the browser is used where there is one', () => {
  const sessionStorage = {};
  vi.stubGlobal('window', { sessionStorage });
  expect(getStorage('sessionStorage')).toBe(sessionStorage);
});

it('a storage that is denied is replaced by one in memory', () => {
  deny();
  const local = getStorage('localStorage');
  local.setItem('a', '1');
  local.setItem('b', '2');
  expect([local.length, local.key(0), local.key(1), local.key(2)]).toEqual([2, 'a', 'b', null]);
  local.removeItem('a');
  expect([local.getItem('a'), local.getItem('b')]).toEqual([null, '2']);
  expect(getStorage('localStorage')).toBe(local);
  expect(getStorage('sessionStorage').getItem('b')).toBeNull();
});

it('drafts and a declared age last as long as the page without storage', () => {
  deny();
  declareAge(18);
  expect(declaredAge()).toBe(18);
  const drafts = new Drafts(getStorage('sessionStorage'));
  drafts.write('place', 'Say why.');
  drafts.save();
  expect(new Drafts(getStorage('sessionStorage')).read('place')).toBe('Say why.');
});
