import type { HostedTask } from '../contract/network/hosted-agents.js';
import type { TaskRecords } from '../features/agent-host/agent-spec.js';
import { MeshError } from '../lib/errors.js';

const TASKS_MAX = 1_000;

/** The newest tasks of a stand-alone agent, in memory. Each one was answered in full by the request that sent it. */
export class TaskCache implements TaskRecords {
  private readonly tasks = new Map<string, HostedTask>();

  /** A skill runs during the request that sends its task. */
  start(): undefined {
    return undefined;
  }

  keep(task: HostedTask): void {
    this.tasks.set(task.id, task);
    if (this.tasks.size > TASKS_MAX) this.tasks.delete(this.tasks.keys().next().value as string);
  }

  async read(taskId: string): Promise<HostedTask> {
    const task = this.tasks.get(taskId);
    if (!task) throw new MeshError('not_found', `There is no such task: the newest ${TASKS_MAX} of this run are kept.`);
    return task;
  }
}
