import { describe, expect, it } from 'vitest';
import { asTyped, commandsFor, readTyped, SLASH_COMMANDS } from './slash.js';

const names = (typed: string) => commandsFor(typed).map(({ name }) => name);

describe('what is typed', () => {
  it('is a message unless it begins with a slash', () => {
    expect(readTyped(' See src/dusk.ts ')).toEqual({ is: 'said', text: 'See src/dusk.ts' });
    expect(readTyped('a\n/stop')).toEqual({ is: 'said', text: 'a\n/stop' });
  });

  it('is a command with what stands behind its name', () => {
    expect(readTyped('/stop ')).toEqual({ is: 'command', name: '/stop', words: '' });
    expect(readTyped('\n /rename  The sixth lamp ')).toEqual({
      is: 'command',
      name: '/rename',
      words: 'The sixth lamp',
    });
    expect(readTyped('/export')).toEqual({ is: 'command', name: '/export', words: '' });
    expect(readTyped('/export html')).toEqual({ is: 'command', name: '/export', words: 'html' });
  });

  it('is said with one slash when it begins with two', () => {
    expect(readTyped('//stop now')).toEqual({ is: 'said', text: '/stop now' });
    expect(readTyped('///')).toEqual({ is: 'said', text: '//' });
  });

  it('is nothing when no command fits: it names what exists, and how to send a slash', () => {
    const typed = readTyped('/etc/hosts is wrong');
    expect(typed.is).toBe('unknown');
    for (const { name } of SLASH_COMMANDS) expect(typed).toMatchObject({ why: expect.stringContaining(name) });
    expect(typed).toMatchObject({
      why: expect.stringMatching(/^\/etc\/hosts is not one of .*begin with \/\/ to send a slash\.$/),
    });
    expect(readTyped('/')).toMatchObject({ is: 'unknown' });
    expect(readTyped('/STOP')).toMatchObject({ is: 'unknown' });
  });

  it('is nothing when words are missing behind a command, or too many', () => {
    expect(readTyped('/rename  ')).toEqual({ is: 'unknown', why: '/rename needs an argument: /rename <title>.' });
    expect(readTyped('/stop it')).toMatchObject({
      is: 'unknown',
      why: expect.stringContaining('/stop takes no argument'),
    });
  });
});

it.each(['/stop', ' /stop', '//', 'no slash', 'a\n/b'])(
  'brings back %j so that sending it says the same again',
  (said) => {
    expect(readTyped(asTyped(said))).toEqual({ is: 'said', text: said.trim() });
  },
);

describe('the commands that are listed', () => {
  it('begin with what is typed', () => {
    expect(names('/')).toEqual(SLASH_COMMANDS.map(({ name }) => name));
    expect(names('/un')).toEqual(['/unpin', '/unarchive']);
    expect(names('/stop')).toEqual(['/stop']);
    expect(names('/nothing')).toEqual([]);
  });

  it('are none in a message, behind a name, and behind two slashes', () => {
    for (const typed of ['', 'see /', '/rename ', '/rename a', '//', '//st', '/\n']) expect(names(typed)).toEqual([]);
  });

  it('begin with none that answers a question, whatever one letter is typed', () => {
    for (const letter of ['', ...'abcdefghijklmnopqrstuvwxyz'])
      expect(['/allow', '/always']).not.toContain(names(`/${letter}`)[0]);
  });
});
