import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Environment } from '../../daemon/testing/daemon-process.js';
import type { DrillProject } from './project.js';

/** What a daemon says of itself since it was asked last. */
export interface Gauged {
  /** How late its event loop came to what was due. */
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
  samples: number;
  heapBytes: number;
  residentBytes: number;
  /** What keeps it waiting, by kind: sockets, watched folders, requests to the system. */
  resources: Readonly<Record<string, number>>;
  /** Timers of every kind; counted only after a collection. */
  timers: number;
}

const MODULE = fileURLToPath(new URL('./inside-daemon.mjs', import.meta.url));

/** Measures a daemon from within, without anything in its own program for it. */
export class Gauge {
  private readonly path: string;

  constructor(project: DrillProject) {
    this.path = join(project.root, 'gauge.sock');
  }

  /** What the daemon is to be started with. */
  get environment(): Environment {
    return { NODE_OPTIONS: `--import=${MODULE}`, MESHD_DRILL_GAUGE: this.path };
  }

  /** What was measured since the last time; with `collect` garbage is collected before what is held is counted, which is in no measure of the loop. */
  read(collect = false): Promise<Gauged> {
    return this.ask(collect ? 'collect' : 'read');
  }

  /**
   * The same, and how long its own work kept the event loop at the longest since this was called last, in time of the
   * processor. Linux only.
   */
  held(): Promise<Gauged & { heldMs: number }> {
    return this.ask('held');
  }

  /** How many entries all maps and sets hold together. The daemon does nothing else for a second. */
  entries(): Promise<number> {
    return this.ask('entries');
  }

  private async ask<Answer>(word: string): Promise<Answer> {
    const socket = connect(this.path);
    socket.write(word);
    return JSON.parse(await text(socket)) as Answer;
  }
}
