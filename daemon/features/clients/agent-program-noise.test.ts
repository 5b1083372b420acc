import { expect, it } from 'vitest';
import { Noise } from './agent-program-noise.js';

it('ignores 1 MiB of lines that are no message, and not a character more', () => {
  const noise = new Noise();
  noise.add('x'.repeat(1024 * 1024 - 2));
  noise.add('xx');
  noise.add('');
  expect(() => noise.add('x')).toThrow(
    'The program wrote more than 1 MiB that is no message (output_limit), so it was stopped.',
  );
});
