import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PROGRAMS = {
  'claude-code': { name: 'MESHD_CLAUDE_COMMAND', file: 'scripted-claude.mjs' },
  acp: { name: 'MESHD_ACP_COMMAND', file: 'scripted-acp-agent.mjs' },
} as const;

/** A machine on which no agent and no model is to be found, whatever is installed on this one. */
const NOTHING = {
  MESHD_CLAUDE_COMMAND: 'meshd-e2e-no-agent',
  MESHD_ACP_COMMAND: 'meshd-e2e-no-agent',
  MESHD_API_PROVIDER: '',
};

/** What a daemon runs its members on: its own search, or a scripted program in the place of a real agent. */
export type ScriptedClient = 'builtin' | keyof typeof PROGRAMS;

/** One deed of the stand-ins, as their files tell. */
export type Step = Record<string, unknown>;

/** An agent that does what the test tells it to: each run reads its part anew, and waits at gates until the test opens them. */
export class ScriptedAgent {
  private readonly folder = mkdtempSync(join(tmpdir(), 'meshd-e2e-agent-'));
  private readonly script = join(this.folder, 'scenario.json');
  private when: { says: string; steps: readonly Step[] }[] = [];
  private steps: readonly Step[] = [{ text: 'Nothing to say.' }];

  /** `manner`: what beside its steps the stand-in's scenario says of it. */
  constructor(
    private readonly client: ScriptedClient,
    private readonly manner: Readonly<Record<string, unknown>> = {},
  ) {
    this.save();
  }

  /** The machine's own configuration that makes it the agent, and no other that may be installed here. */
  get environment(): Record<string, string> {
    if (this.client === 'builtin') return NOTHING;
    const { name, file } = PROGRAMS[this.client];
    const program = fileURLToPath(new URL(`../daemon/testing/stand-ins/${file}`, import.meta.url));
    return { ...NOTHING, [name]: JSON.stringify([process.execPath, program, this.script]) };
  }

  /** What every run from now on does. */
  plays(...steps: Step[]): void {
    this.steps = steps;
    this.save();
  }

  /** What a run does whose prompt holds these words. */
  playsTo(says: string, ...steps: Step[]): void {
    this.when = [{ says, steps }, ...this.when];
    this.save();
  }

  /** A step that waits until `open` is called with the same name. */
  gate(name: string): Step {
    return { until: join(this.folder, `gate-${name}`) };
  }

  open(name: string): void {
    writeFileSync(join(this.folder, `gate-${name}`), '');
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private save(): void {
    writeFileSync(this.script, JSON.stringify({ ...this.manner, steps: this.steps, when: this.when }));
  }
}
