import { expect, it } from 'vitest';
import type { Citation } from '../../contract/asks.js';
import { recordedTerminal } from '../../testing/processes/recorded-terminal.js';
import { showAnswer } from './show-answer.js';

const cite = (path: string, start: number): Citation => ({
  path,
  start_line: start,
  end_line: start + 1,
  sha256: 'a'.repeat(64),
  quote: '',
  commit: null,
  status: 'checked',
});

it('prints every source once: beside its quote, or at the end when the text does not quote it', () => {
  const { text, terminal } = recordedTerminal();
  const quoted = ['[1] `README.md:3-4` — **Lamp** \\_port\\_', '', '```', 'port = 8123', '```'].join('\n');
  showAnswer(terminal, {
    text: quoted,
    citations: [cite('README.md', 3), cite('src/lamp.ts', 8)],
    confidence: 'found',
  });
  expect(text.out.match(/README\.md:3-4/g)).toHaveLength(1);
  expect(text.out.match(/src\/lamp\.ts:8-9/g)).toHaveLength(1);
  expect(text.out).toContain('[1] Lamp _port_');
  expect(text.out).toContain('\n    port = 8123\n');
  expect(text.out.indexOf('README.md')).toBeLessThan(text.out.indexOf('port = 8123'));
});
