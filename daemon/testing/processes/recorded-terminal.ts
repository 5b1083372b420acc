import { type Readable, Writable } from 'node:stream';
import type { Environment } from '../../cli/environment.js';
import { Terminal } from '../../cli/terminal.js';

/** An environment without an editor, colours or a display. */
export const PLAIN_ENVIRONMENT: Environment = {
  editor: undefined,
  isColourful: false,
  hasDisplay: false,
  command: 'meshd',
};

/** Creates a terminal that keeps its output in `text`. */
export function recordedTerminal(
  environment: Partial<Environment> = {},
  stdin?: Readable,
): { terminal: Terminal; text: { out: string; err: string } } {
  const text = { out: '', err: '' };
  const into = (name: 'out' | 'err') =>
    new Writable({
      write(chunk, _encoding, done) {
        text[name] += String(chunk);
        done();
      },
    });
  return {
    terminal: new Terminal(into('out'), into('err'), { ...PLAIN_ENVIRONMENT, ...environment }, stdin),
    text,
  };
}
