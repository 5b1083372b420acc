/** What the command line loads when it is asked for a backup, and not before: it brings the database along. */
export { finishRestore } from '../storage/restore-moves.js';
export { adoptState } from './adopt-state.js';
export { copyStore } from './copy-store.js';
export { restoreBackup, undoRestore } from './restore-backup.js';
export { writeBackup } from './write-backup.js';
