import { systemCode } from './errors.js';

/** Whether a process has this id. True for a process that has ended but that its parent has not reaped. */
export function isPidTaken(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) !== 'ESRCH';
  }
}
