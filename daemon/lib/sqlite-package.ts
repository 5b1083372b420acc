/** The version of Node-API that better-sqlite3 13 is built for. */
const NODE_API = 10;

/**
 * Returns the name of the package that serves SQLite in this version of Node.js. better-sqlite3 13 needs Node-API 10,
 * which came with Node.js 22.14, and ends the process where it is missing; version 12 ends it on Node.js 24.19 and
 * later.
 */
export const findSqlitePackage = (): string =>
  Number(process.versions['napi']) >= NODE_API ? 'better-sqlite3' : 'better-sqlite3-12';
