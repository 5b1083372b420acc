/** Loaded by the command line only when a backup command needs it, because it imports the database. */
export { finishRestore } from '../storage/restore-moves.js';
export { adoptState } from './adopt-state.js';
export { copyStore } from './copy-store.js';
export { restoreBackup, undoRestore } from './restore-backup.js';
export { writeBackup } from './write-backup.js';
