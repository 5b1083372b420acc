import type { SharedLog } from './shared-log.js';

/** The log that changes go to now: the embedded one, or that of a network. */
export class SelectedLog implements SharedLog {
  private selected: SharedLog | undefined;

  constructor(private readonly embedded: SharedLog) {}

  /** Sends every later change to `log`; to the embedded log when it is undefined. */
  select(log: SharedLog | undefined): void {
    this.selected = log;
  }

  get isShared(): boolean {
    return (this.selected ?? this.embedded).isShared;
  }

  submit<Result>(kind: string, entity: string, body: Record<string, unknown>): Promise<Result> | Result {
    return (this.selected ?? this.embedded).submit<Result>(kind, entity, body);
  }
}
