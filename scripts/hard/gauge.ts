import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Environment } from '../../daemon/testing/processes/daemon-process.js';
import type { DrillProject } from './project.js';

/** Measurements of a daemon since the previous reading. */
export interface Gauged {
  /** Delay of the event loop beyond the sampling interval, in milliseconds. */
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
  samples: number;
  heapBytes: number;
  residentBytes: number;
  /** Active resources by kind: sockets, watched folders, system requests. */
  resources: Readonly<Record<string, number>>;
  /** Timers of every kind. Counted only after a garbage collection, otherwise 0. */
  timers: number;
}

const MODULE = fileURLToPath(new URL('./access/inside-daemon.mjs', import.meta.url));

/** Measures a daemon from inside its process by a preloaded module. The daemon itself contains no code for it. */
export class Gauge {
  private readonly path: string;

  constructor(project: DrillProject) {
    this.path = join(project.root, 'gauge.sock');
  }

  /** Environment with which the daemon must be started. */
  get environment(): Environment {
    return { NODE_OPTIONS: `--import=${MODULE}`, MESHD_DRILL_GAUGE: this.path };
  }

  /**
   * Returns the measurements since the previous reading. With `collect`, garbage is collected before objects are
   * counted; the collection is not part of the event loop delay.
   */
  read(collect = false): Promise<Gauged> {
    return this.ask(collect ? 'collect' : 'read');
  }

  /**
   * Returns the same as `read`, and the longest hold of the event loop by the daemon's own work since the previous
   * call, in milliseconds of processor time. Linux only.
   */
  held(): Promise<Gauged & { heldMs: number }> {
    return this.ask('held');
  }

  /** Returns the total number of entries of all maps and sets. Blocks the daemon for about a second. */
  entries(): Promise<number> {
    return this.ask('entries');
  }

  private async ask<Answer>(word: string): Promise<Answer> {
    const socket = connect(this.path);
    socket.write(word);
    return JSON.parse(await text(socket)) as Answer;
  }
}
