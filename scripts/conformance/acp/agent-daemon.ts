import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DaemonProcess } from '../../../daemon/testing/processes/daemon-process.js';
import { buildDaemon } from '../../hard/drill.js';
import { DrillProject } from '../../hard/project.js';

const AGENT = fileURLToPath(new URL('./agent.mjs', import.meta.url));
export const MEMBER = 'guide';

/** A message that the agent received. */
export interface Received {
  method: string;
  // Each scenario knows the shape of the message that it looks at.
  // biome-ignore lint/suspicious/noExplicitAny: parameters of any method.
  params: any;
}

/** A built daemon with one exposed member, which runs on the agent of `agent.mjs`. */
export class AgentDaemon {
  private constructor(
    private readonly project: DrillProject,
    readonly daemon: DaemonProcess,
    readonly token: string,
    private readonly folder: string,
  ) {}

  /** `endpoints` are the `host:port` on the loopback address that may receive notifications. */
  static async start(endpoints: readonly string[] = []): Promise<AgentDaemon> {
    buildDaemon();
    const project = new DrillProject({ 'README.md': '# Harbour\n\nThe port is 4747.\n' });
    try {
      const folder = project.folder('agent');
      const daemon = await project.start({
        MESHD_ACP_COMMAND: JSON.stringify([process.execPath, AGENT, folder]),
        ...(endpoints.length === 0 ? {} : { MESHD_LOOPBACK_ENDPOINTS: endpoints.join(',') }),
      });
      const tools = ['read', 'search', 'edit', 'execute'];
      const member = { id: MEMBER, kind: 'profile', client: 'acp', exposure: 'external', body: 'Answer.', tools };
      await daemon.call('POST', '/team', member);
      return new AgentDaemon(project, daemon, await daemon.getToken(MEMBER), folder);
    } catch (error) {
      await project.remove();
      throw error;
    }
  }

  /** The folder of the project. */
  get root(): string {
    return this.project.root;
  }

  /** Says what the agent leaves out, adds and does from its next run on, and forgets what it received. */
  shape(shape: Readonly<Record<string, unknown>>): void {
    mkdirSync(this.folder, { recursive: true });
    writeFileSync(join(this.folder, 'shape.json'), JSON.stringify(shape));
    rmSync(join(this.folder, 'received.jsonl'), { force: true });
  }

  /** Lets the agent answer the prompt with `hold:NAME`. */
  release(name: string): void {
    writeFileSync(join(this.folder, name), '');
  }

  received(): Received[] {
    try {
      const lines = readFileSync(join(this.folder, 'received.jsonl'), 'utf8').split('\n');
      return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Received);
    } catch {
      // The file is created with the first message.
      return [];
    }
  }

  stop(): Promise<void> {
    return this.project.remove();
  }
}
