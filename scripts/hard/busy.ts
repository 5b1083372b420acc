import { readFileSync } from 'node:fs';

const fields = (path: string) => readFileSync(path, 'latin1');

/** Ticks of processor time that the machine has spent working or was kept from, and those of this program and of its ended children. */
function ticks(): { machine: number; own: number } {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softIrq = 0, steal = 0] = (
    /^cpu +(.*)$/m.exec(fields('/proc/stat'))?.[1] ?? ''
  )
    .split(' ')
    .map(Number);
  const text = fields('/proc/self/stat');
  // After the name, which may hold anything: user, system, and the same of children that were waited for.
  const after = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return {
    machine: user + nice + system + irq + softIrq + steal,
    own: after.slice(11, 15).reduce((sum, value) => sum + Number(value), 0),
  };
}

/** Watches how much of the machine others use; times that were missed beside them say nothing of the daemon. */
export class BusyOthers {
  private readonly start = process.platform === 'linux' ? ticks() : undefined;
  private readonly startedMs = performance.now();

  /** Processors that others have kept busy since, on average, once every child has ended; 0 where that cannot be told. */
  processors(): number {
    if (!this.start) return 0;
    const now = ticks();
    const others = now.machine - this.start.machine - (now.own - this.start.own);
    // A tick is a hundredth of a second for every program, whatever the kernel counts in.
    return Math.max(0, others / 100 / ((performance.now() - this.startedMs) / 1_000));
  }
}
