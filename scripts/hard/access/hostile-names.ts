import { execFileSync } from 'node:child_process';

/** Sequences that control a terminal, hide text or change its direction: one of each known kind. */
const HIDDEN = [
  '\u001b[41m',
  '\u001b]8;;e\u0007',
  '\u001b]52;c;ZQ==\u0007',
  '\u009b2J',
  '\b\u007f',
  '\u202en\u2066',
  '\u200e\u061c',
  'z\u200bz\u200dz\ufeff\u00ad',
];

/** Returns a hostile name that begins with letters and stays within most length limits. */
export const hostileName = (word: string): string => `${word}${HIDDEN.join('')}\rend`;

/** Returns the text quoted for a line of YAML or JSON. */
const quoted = (text: string) =>
  `"${text.replace(/[^ -~]|["\\]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)}"`;

/** Raw characters of untrusted text that must not reach a screen. */
export const RAW =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/;
/** One of these characters in escaped form. */
export const SHOWN = /\\(?:x(?:1b|9b|0[78d]|7f)|u(?:202e|200b|feff|2066|001b|009b|0007))/;

const member = (name: string) => `---
name: ${quoted(hostileName(name))}
description: ${quoted(hostileName('Minds'))}
kind: profile
model: strongest
exposure: internal
---
You are ${hostileName('somebody')}.
`;

/** Files of a repository in which every name is hostile. */
export const hostileFiles = (): Record<string, string> => ({
  'README.md': `# ${hostileName('Lamp')}\n\nThe lantern is trimmed at nine.\n`,
  [`docs/${hostileName('trim')}.md`]: `# ${hostileName('Heading')}\n\nThe wick of the lantern is cut at ten ${hostileName('exactly')}.\n`,
  'package.json': `{"name": ${quoted(hostileName('lamp'))}, "description": ${quoted(hostileName('about'))}}\n`,
  '.mesh/team/evil.md': member('Evil'),
  '.mesh/team/broken.md': `---\nname: ${hostileName('Broken')}\n: [\n---\n`,
  [`.mesh/team/${hostileName('odd')}.md`]: member('Odd'),
  '.mesh/roadmap.md': `# ${hostileName('Plan')}\n\n- [ ] angle: ${hostileName('light')} it @evil\n- [?] ${hostileName('what')}\n`,
  '.claude/agents/painter.md': `---\nname: ${quoted(hostileName('painter'))}\ndescription: ${quoted(hostileName('Paints'))}\n---\nPaint.\n`,
  [`.claude/agents/${hostileName('odd')}.md`]: `---\nname: painter2\ndescription: ${quoted(hostileName('Paints'))}\n---\nPaint.\n`,
  '.codex/agents/painter3.toml': `name = "${hostileName('painter')}"\n`,
});

/** Commits everything in `root` with a hostile subject and author, on a branch with a hostile name. */
export function commitHostile(root: string): void {
  const git = (...words: string[]) => execFileSync('git', words, { cwd: root, stdio: 'ignore' });
  git('checkout', '-q', '-b', 'evil\u009b2J\u202e\u200b');
  git('add', '-A', '.');
  const author = ['-c', `user.name=${hostileName('Eve')}`, '-c', 'user.email=eve@example.invalid'];
  git(...author, 'commit', '-q', '-m', hostileName('Subject'));
}
