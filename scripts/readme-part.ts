import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const README = fileURLToPath(new URL('../README.md', import.meta.url));

/** Puts `text` between README's two markers of `name`. Throws an Error when they are not there. */
export function writeReadmePart(name: string, text: string): void {
  const [begin, end] = [`<!-- ${name}:begin -->`, `<!-- ${name}:end -->`];
  const whole = readFileSync(README, 'utf8');
  const from = whole.indexOf(begin) + begin.length;
  const to = whole.indexOf(end);
  if (from < begin.length || to < from) throw new Error(`README.md must hold ${begin} and ${end}.`);
  writeFileSync(README, `${whole.slice(0, from)}\n${text}\n${whole.slice(to)}`);
}
