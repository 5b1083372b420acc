import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PROGRAMS = {
  'claude-code': { name: 'MESHD_CLAUDE_COMMAND', file: 'scripted-claude.mjs' },
  acp: { name: 'MESHD_ACP_COMMAND', file: 'scripted-acp-agent.mjs' },
} as const;

/** Environment of a machine without any agent or model, whatever is installed on this one. */
const NOTHING = {
  MESHD_CLAUDE_COMMAND: 'meshd-e2e-no-agent',
  MESHD_ACP_COMMAND: 'meshd-e2e-no-agent',
  MESHD_API_PROVIDER: '',
};

/** What runs the members: the built-in search, or a scripted program in place of a real agent. */
export type ScriptedClient = 'builtin' | keyof typeof PROGRAMS;

/** One step of a stand-in program; the forms are documented in its file. */
export type Step = Record<string, unknown>;

/**
 * An agent whose behaviour the test defines. Each run reads the script again and waits at gates until the test opens
 * them.
 */
export class ScriptedAgent {
  private readonly folder = mkdtempSync(join(tmpdir(), 'meshd-e2e-agent-'));
  private readonly script = join(this.folder, 'scenario.json');
  private when: { says: string; steps: readonly Step[] }[] = [];
  private steps: readonly Step[] = [{ text: 'Nothing to say.' }];

  /** `manner`: additional options of the stand-in's scenario. */
  constructor(
    private readonly client: ScriptedClient,
    private readonly manner: Readonly<Record<string, unknown>> = {},
  ) {
    this.save();
  }

  /** Environment that selects the stand-in, and hides every agent installed on this machine. */
  get environment(): Record<string, string> {
    if (this.client === 'builtin') return NOTHING;
    const { name, file } = PROGRAMS[this.client];
    const program = fileURLToPath(new URL(`../daemon/testing/stand-ins/${file}`, import.meta.url));
    return { ...NOTHING, [name]: JSON.stringify([process.execPath, program, this.script]) };
  }

  /** Sets the steps of every later run. */
  plays(...steps: Step[]): void {
    this.steps = steps;
    this.save();
  }

  /** Sets the steps of runs whose prompt contains this text. */
  playsTo(says: string, ...steps: Step[]): void {
    this.when = [{ says, steps }, ...this.when];
    this.save();
  }

  /** Returns a step that waits until `open` is called with the same name. */
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
