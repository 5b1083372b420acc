/** Builds a member file. The values must need no quotes. */
const member = (keys: Record<string, unknown>, body: string) =>
  `---\n${Object.entries(keys)
    .map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}\n`)
    .join('')}---\n\n${body}\n`;

/** The files of the sample repository. */
export const HARBOUR_FILES: Readonly<Record<string, string>> = {
  'README.md':
    '# Lamp\n\nLamp switches the harbour lights on at dusk and off at dawn.\n\n## Run it\n\nStart it with `npm ' +
    'start`; it listens on port 8123.\n\n## Settings\n\n`LAMP_ANGLE` is the angle of the sun in degrees below ' +
    'which the lights go on; the default is -6.\n`LAMP_RETRIES` is how often a lamp that does not answer is ' +
    'asked again; the default is 3.\n',
  'docs/lamps.md':
    '# Lamps\n\nEach lamp has a number that is painted on its mast. The sixth stands at the end of the quay ' +
    'and is the only one with a fog horn.\n\n## Wiring\n\nLamps are on one line in groups of four. A group ' +
    'that fails is dark as a whole.\n',
  'src/dusk.ts':
    'export const DUSK_ANGLE_DEGREES = -6;\n\n/** Whether the sun stands low enough for the lights to go on. ' +
    '*/\nexport function isDusk(angle: number): boolean {\n  return angle < DUSK_ANGLE_DEGREES;\n}\n',
  'src/retry.ts':
    'const PAUSE_MS = 250;\n\n/** Asks a lamp until it answers, three times at most. */\nexport async function ' +
    'withRetries<T>(ask: () => Promise<T>, times = 3): Promise<T> {\n  for (let left = times; ; left -= 1) ' +
    '{\n    try {\n      return await ask();\n    } catch (error) {\n      if (left <= 1) throw error;\n      ' +
    'await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));\n    }\n  }\n}\n',
  'src/server.ts':
    "import { isDusk } from './dusk.js';\n\n/** Port of the lamp's own status page. */\nexport const PORT = " +
    "8123;\n\nexport function status(angle: number): string {\n  return isDusk(angle) ? 'on' : 'off';\n}\n",
  '.mesh/team/architect-master.md': member(
    {
      name: 'Architect Master',
      description:
        'Owns the roadmap and the shape of the harbour. Turns goals into small tasks and keeps the reasons on record.',
      kind: 'singleton',
      required: true,
      agent_type: 'roadmap',
      effort: 'high',
      pinned_order: 0,
      tools: ['read', 'search', 'edit', 'todo', 'ask'],
    },
    'You decide what is built, in which order and in what shape. You do not write the lamps’ code.',
  ),
  '.mesh/team/developer.md': member(
    {
      name: 'Developer',
      description:
        'Writes, mends and tests code anywhere in the project. The member for everything that has no specialist.',
      kind: 'profile',
      pinned_order: 10,
      tools: ['read', 'search', 'edit', 'execute', 'web', 'todo', 'ask'],
      limits: { turns: 60, minutes: 30 },
      examples: ['Make the sixth lamp blink.', 'Find out why group two is dark, and mend it with a test.'],
    },
    'You take a task from its words to a change that is finished, checked and easy to review.',
  ),
  '.mesh/team/ui-developer.md': member(
    {
      name: 'UI Developer',
      description: 'Builds the status page so that it is clear and quick, by keyboard and on small displays.',
      kind: 'profile',
      pinned_order: 30,
    },
    'Begin with the person on watch: what did they come to see?',
  ),
  '.mesh/team/deployer.md': member(
    {
      name: 'Deployer',
      description:
        'Brings a checked version to the lamps, step by step, with a way back prepared before the first step is taken.',
      kind: 'profile',
      agent_type: 'deploy',
      model: 'fast',
      pinned_order: 40,
    },
    'Never change all lamps at once.',
  ),
  '.mesh/team/api-developer.md': member(
    {
      name: 'API Developer',
      description: 'Keeps what programs may ask of a lamp small, versioned and hard to misuse.',
      kind: 'profile',
      pinned_order: 20,
    },
    'A route that is served is a promise.',
  ),
  '.mesh/team/ui-reviewer.md': member(
    {
      name: 'UI Reviewer',
      description: 'Looks at the status page as the watch does at night, and says what is in the way.',
      kind: 'profile',
      pinned_order: 50,
    },
    'Look before you judge.',
  ),
  '.mesh/team/commit-pr-reviewer.md': member(
    {
      name: 'Commit PR Reviewer',
      description: 'Reads a change as a stranger would, and finds what breaks.',
      kind: 'profile',
      effort: 'high',
      pinned_order: 60,
    },
    'Say what breaks, where, and how it shows.',
  ),
  '.mesh/team/roadmap-orchestrator.md': member(
    {
      name: 'Roadmap Orchestrator',
      description: 'Hands the tasks of the roadmap to those who do them, and keeps the order.',
      kind: 'singleton',
      agent_type: 'roadmap',
      pinned_order: 5,
    },
    'One task to one member.',
  ),
  '.mesh/team/consultant.md': member(
    {
      name: 'Consultant',
      description:
        'Answers questions about this project from other programs and people, with facts that carry the file ' +
        'and lines they come from.',
      kind: 'profile',
      agent_type: 'docs',
      exposure: 'external',
      pinned_order: 70,
      tools: ['read', 'search'],
      limits: { turns: 20, minutes: 5 },
      examples: [
        'What does this project do, and where does it start?',
        'How is the configuration read, and which settings are there?',
      ],
    },
    'You answer questions about this project. Those who ask are outside it: they rely on every word.\n\n## How ' +
      'you work\n\n1. Find out what is really asked.\n2. Look in the project before you answer, and follow the ' +
      'matter to its end.\n3. Check each statement against the lines it rests on.\n\n## Citations\n\n- Every ' +
      'statement of fact carries its place as `path:start-end`.\n- What the project does not say, you do ' +
      'not know.',
  ),
  '.claude/agents/scribe.md':
    '---\nname: scribe\ndescription: Keeps the log of the harbour, one line for every ship.\ntools: Read, Grep ' +
    '# least\nmodel: inherit\ncolor: blue\nhooks: {}\n---\n\nWrite down what happens.\n',
  '.claude/agents/developer.md': '---\nname: developer\ndescription: Builds lamps.\n---\n\nBuild.\n',
  '.codex/agents/pilot.toml':
    'name = "pilot"\ndescription = "Brings ships in."\nsandbox_mode = "read-only"\ndeveloper_instructions = ' +
    '"""\nMind the shoals.\n"""\n',
  '.cursor/agents/stoker.md': '---\nname: [\n---\nFeed the fire.\n',
  '.mesh/roadmap.md':
    '# Roadmap\n\n- [x] ports: Document the status port @consultant\n- [x] angle: Read the angle of the sun ' +
    'from the settings @developer\n- [-] quay: Draw the quay on the status page @ui-developer\n  reason: ' +
    'failed: The drawing of the quay is not in the repository.\n- [ ] horn: Sound the fog horn of the sixth ' +
    'lamp when the visibility falls below half a mile @developer\n- [ ] ship: Release it @deployer\n- [ ] ' +
    'after: Tidy up\n',
  '.mesh/asks/consultant.md':
    '## On which port does it listen?\n\n- cites: README.md:5-7\n- says: 8123\n\n## What is the default of ' +
    'LAMP_ANGLE?\n\n- says: -6\n\n## Which opera did the harbour master write?\n\n- not found\n\n## How many ' +
    'lamps are in a group?\n\n- says: seven\n',
};
