/** The header line of the kernel's table of connections. */
export const TABLE_HEAD =
  '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n';

/** Returns a row of the table. */
export const tableRow = (ends: string, state: string, uid: number, inode: number): string =>
  `   7: ${ends} ${state} 00000000:00000000 00:00000000 00000000 ${String(uid).padStart(5)}        0 ${inode} ` +
  '1 0000000000000000 20 4 30 10 -1\n';
