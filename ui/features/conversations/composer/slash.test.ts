import { describe, expect, it } from 'vitest';
import { commandsFor, escapeSlash, readTyped, SLASH_COMMANDS } from './slash.js';

const names = (typed: string) => commandsFor(typed).map(({ name }) => name);

describe('readTyped', () => {
  it('returns a message unless the text begins with a slash', () => {
    expect(readTyped(' See src/dusk.ts ')).toEqual({ is: 'said', text: 'See src/dusk.ts' });
    expect(readTyped('a\n/stop')).toEqual({ is: 'said', text: 'a\n/stop' });
  });

  it('returns a command with its argument', () => {
    expect(readTyped('/stop ')).toEqual({ is: 'command', name: '/stop', words: '' });
    expect(readTyped('\n /rename  The sixth lamp ')).toEqual({
      is: 'command',
      name: '/rename',
      words: 'The sixth lamp',
    });
    expect(readTyped('/export')).toEqual({ is: 'command', name: '/export', words: '' });
    expect(readTyped('/export html')).toEqual({ is: 'command', name: '/export', words: 'html' });
  });

  it('returns a message with one slash for a text that begins with two', () => {
    expect(readTyped('//stop now')).toEqual({ is: 'said', text: '/stop now' });
    expect(readTyped('///')).toEqual({ is: 'said', text: '//' });
  });

  it('rejects an unknown command, lists the known ones, and explains how to send a slash', () => {
    const typed = readTyped('/etc/hosts is wrong');
    expect(typed.is).toBe('unknown');
    for (const { name } of SLASH_COMMANDS) expect(typed).toMatchObject({ why: expect.stringContaining(name) });
    expect(typed).toMatchObject({
      why: expect.stringMatching(/^\/etc\/hosts is not one of .*begin with \/\/ to send a slash\.$/),
    });
    expect(readTyped('/')).toMatchObject({ is: 'unknown' });
    expect(readTyped('/STOP')).toMatchObject({ is: 'unknown' });
  });

  it('rejects a missing and a superfluous argument', () => {
    expect(readTyped('/rename  ')).toEqual({ is: 'unknown', why: '/rename needs an argument: /rename <title>.' });
    expect(readTyped('/stop it')).toMatchObject({
      is: 'unknown',
      why: expect.stringContaining('/stop takes no argument'),
    });
  });
});

it.each(['/stop', ' /stop', '//', 'no slash', 'a\n/b'])('round-trips %j through asTyped', (sent) => {
  expect(readTyped(escapeSlash(sent))).toEqual({ is: 'said', text: sent.trim() });
});

describe('commandsFor', () => {
  it('returns the commands that begin with the text', () => {
    expect(names('/')).toEqual(SLASH_COMMANDS.map(({ name }) => name));
    expect(names('/un')).toEqual(['/unpin', '/unarchive']);
    expect(names('/stop')).toEqual(['/stop']);
    expect(names('/nothing')).toEqual([]);
  });

  it('returns none for a message, after a name, and after two slashes', () => {
    for (const typed of ['', 'see /', '/rename ', '/rename a', '//', '//st', '/\n']) expect(names(typed)).toEqual([]);
  });

  it('returns no permission decision first for any single letter', () => {
    for (const letter of ['', ...'abcdefghijklmnopqrstuvwxyz'])
      expect(['/allow', '/always']).not.toContain(names(`/${letter}`)[0]);
  });
});
