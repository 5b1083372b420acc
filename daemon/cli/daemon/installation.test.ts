import { expect, it } from 'vitest';
import { commandAsTyped } from './installation.js';

it('returns the command as it can be typed in the current folder', () => {
  expect(commandAsTyped('/usr/local/bin/meshd', '/home/ada/lamp')).toBe('meshd');
  expect(commandAsTyped('/home/ada/meshd/dist/meshd.js', '/home/ada/meshd')).toBe('node dist/meshd.js');
  expect(commandAsTyped('/home/ada/meshd/dist/meshd.js', '/home/ada/lamp')).toBe('node ../meshd/dist/meshd.js');
  expect(commandAsTyped('/home/ada/meshd/dist/meshd.js', undefined)).toBe('node /home/ada/meshd/dist/meshd.js');
});
