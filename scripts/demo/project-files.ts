/**
 * Returns a member's file. Values must not need quotes. Every member uses the client `builtin`, so that the demo never
 * starts a program and never uses a model of the user.
 */
const member = (keys: Record<string, unknown>, prompt: string) =>
  `---\n${Object.entries({ ...keys, client: 'builtin' })
    .map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}\n`)
    .join('')}---\n\n${prompt}\n`;

/** Files of the demo's repository, which controls the lights of a harbour. */
export const PROJECT_FILES: Readonly<Record<string, string>> = {
  '.gitignore': 'node_modules/\n',
  'package.json': `${JSON.stringify({ name: 'lamp', version: '1.4.0', description: 'Switches harbour lights at dusk and dawn.', type: 'module' }, null, 2)}\n`,
  'README.md': `# Lamp

Lamp switches the harbour lights on at dusk and off at dawn.

## Run it

Start it with \`npm start\`; the status page listens on port 8123.

## Settings

\`LAMP_ANGLE\` is the angle of the sun in degrees below which the lights go on; the default is -6.
\`LAMP_RETRIES\` is how often a lamp that does not answer is asked again; the default is 3.
`,
  'docs/lamps.md': `# Lamps

Each lamp has a number that is painted on its mast. The sixth stands at the end of the quay and is the only one with a fog horn.

## Wiring

Lamps are on one line in groups of four. A group that fails is dark as a whole.
`,
  'src/dusk.js': `export const DUSK_ANGLE_DEGREES = -6;

/** Whether the sun is low enough for the lights to go on. */
export function isDusk(angle) {
  return angle < DUSK_ANGLE_DEGREES;
}
`,
  'src/retry.js': `const PAUSE_MS = 250;

/** Asks a lamp until it answers, three times at most. */
export async function withRetries(ask, times = 3) {
  for (let left = times; ; left -= 1) {
    try {
      return await ask();
    } catch (error) {
      if (left <= 1) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}
`,
  'src/server.js': `import { isDusk } from './dusk.js';

/** Port of the status page. */
export const PORT = 8123;

export function status(angle) {
  return isDusk(angle) ? 'on' : 'off';
}
`,
  '.mesh/team/architect-master.md': member(
    {
      name: 'Architect Master',
      description: 'Owns the roadmap and the structure of the project. Turns goals into small tasks.',
      kind: 'singleton',
      required: true,
      agent_type: 'roadmap',
      tools: ['read', 'search', 'edit', 'todo', 'ask'],
      pinned_order: 0,
    },
    'You decide what is built, in which order and in what structure.',
  ),
  '.mesh/team/developer.md': member(
    {
      name: 'Developer',
      description: 'Writes, repairs and tests code anywhere in the project.',
      kind: 'profile',
      tools: ['read', 'search', 'edit', 'execute', 'web', 'todo', 'ask'],
      limits: { turns: 60, minutes: 30 },
      examples: ['Make the sixth lamp blink.', 'Find out why group two is dark, and repair it with a test.'],
      pinned_order: 10,
    },
    'You take a task from its words to a change that is finished, checked and easy to review.',
  ),
  '.mesh/team/ui-developer.md': member(
    {
      name: 'UI Developer',
      description: 'Builds the status page so that it is clear and fast, by keyboard and on small displays.',
      kind: 'profile',
      pinned_order: 20,
    },
    'Begin with the person on watch: what did they come to see?',
  ),
  '.mesh/team/deployer.md': member(
    {
      name: 'Deployer',
      description: 'Brings a checked version to the lamps step by step, with a way back prepared first.',
      kind: 'profile',
      agent_type: 'deploy',
      pinned_order: 30,
    },
    'Never change all lamps at once.',
  ),
  '.mesh/team/consultant.md': member(
    {
      name: 'Consultant',
      description: 'Answers questions about this project from other programs, with the file and lines of each fact.',
      kind: 'profile',
      agent_type: 'docs',
      exposure: 'external',
      tools: ['read', 'search'],
      limits: { turns: 20, minutes: 5 },
      examples: ['What does this project do?', 'Which settings are there?'],
      pinned_order: 40,
    },
    'You answer questions about this project. Every statement carries its place as `path:start-end`. What the ' +
      'project does not say, you do not know.',
  ),
  '.claude/agents/scribe.md':
    '---\nname: scribe\ndescription: Keeps the log of the harbour, one line for every ship.\ntools: Read, ' +
    'Grep\nmodel: inherit\ncolor: blue\n---\n\nWrite down what happens.\n',
  '.mesh/roadmap.md': `# Roadmap

- [x] ports: Document the status port @consultant
- [x] angle: Read the angle of the sun from the settings @developer
- [-] quay: Draw the quay on the status page @ui-developer
  reason: failed: The drawing of the quay is not in the repository.
- [ ] horn: Sound the fog horn of the sixth lamp when the visibility falls below half a mile @developer
- [ ] ship: Release it @deployer
`,
  '.mesh/asks/consultant.md': `## On which port does the status page listen?

- cites: README.md:5-7
- says: 8123

## What is the default of LAMP_ANGLE?

- says: -6

## Which opera did the harbour master write?

- not found
`,
};
