import { systemCode } from './errors.js';

/** Whether any process has the number: one that has ended and that its parent has not noticed yet still has. */
export function isPidTaken(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) !== 'ESRCH';
  }
}
