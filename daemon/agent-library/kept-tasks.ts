import type { HostedTask } from '../contract/hosted-agents.js';
import type { TaskRecords } from '../features/agent-host/agent-spec.js';
import { MeshError } from '../lib/errors.js';

const KEPT_MAX = 1_000;

/** The newest tasks of an agent that runs alone, in memory: each was answered in full when it was sent. */
export class KeptTasks implements TaskRecords {
  private readonly tasks = new Map<string, HostedTask>();

  /** A skill runs while its task is sent. */
  start(): undefined {
    return undefined;
  }

  keep(task: HostedTask): void {
    this.tasks.set(task.id, task);
    if (this.tasks.size > KEPT_MAX) this.tasks.delete(this.tasks.keys().next().value as string);
  }

  async read(taskId: string): Promise<HostedTask> {
    const task = this.tasks.get(taskId);
    if (!task) throw new MeshError('not_found', `There is no such task: the newest ${KEPT_MAX} of this run are kept.`);
    return task;
  }
}
