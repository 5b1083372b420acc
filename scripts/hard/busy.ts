import { readFileSync } from 'node:fs';

const fields = (path: string) => readFileSync(path, 'latin1');

/**
 * Returns the ticks of processor time that the machine was busy or that the hypervisor took from it, and those of this
 * process and its ended children.
 */
function ticks(): { machine: number; own: number } {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softIrq = 0, steal = 0] = (
    /^cpu +(.*)$/m.exec(fields('/proc/stat'))?.[1] ?? ''
  )
    .split(' ')
    .map(Number);
  const text = fields('/proc/self/stat');
  // Fields after the program name, which may contain any character: user and system time, and the same of children that
  // were waited for.
  const after = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return {
    machine: user + nice + system + irq + softIrq + steal,
    own: after.slice(11, 15).reduce((sum, value) => sum + Number(value), 0),
  };
}

/**
 * Measures how much of the machine other programs use. Times that were missed under such load do not show a fault of
 * the daemon.
 */
export class BusyOthers {
  private readonly start = process.platform === 'linux' ? ticks() : undefined;
  private readonly startedMs = performance.now();

  /**
   * Returns the average number of processors that other programs have kept busy since the start. Valid once every child
   * has ended; 0 where it cannot be determined.
   */
  processors(): number {
    if (!this.start) return 0;
    const now = ticks();
    const others = now.machine - this.start.machine - (now.own - this.start.own);
    // User space always counts a tick as a hundredth of a second, whatever the kernel's own rate.
    return Math.max(0, others / 100 / ((performance.now() - this.startedMs) / 1_000));
  }
}
