import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { Decision, ToolCall, Usage } from '../../contract/conversations.js';
import { AcpClient } from '../../features/clients/acp/acp-client.js';
import { ClaudeCodeClient } from '../../features/clients/claude-code/claude-code-client.js';
import type { Client, Decide, PermissionQuestion, Turn } from '../../features/clients/client.js';
import { type Clock, systemClock } from '../../lib/time/clock.js';
import { ProcessGroups, type ProcessLimits } from '../../storage/processes/process-group.js';
import { temporaryFolder } from '../temporary-folder.js';

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));

export type StandIn = 'claude-code' | 'acp';
const PROGRAMS = { 'claude-code': 'scripted-claude.mjs', acp: 'scripted-acp-agent.mjs' } as const;

/**
 * Short enough to wait for in a test. The idle limit is that of the product unless a test passes `BRIEF`, because a
 * program may start late on a busy machine.
 */
const SHORT: Partial<ProcessLimits> = { graceMs: 400 };

/** An idle limit that a test can wait for. */
export const BRIEF: Partial<ProcessLimits> = { idleMs: 1_500 };

interface Staged {
  client: Client;
  root: string;
  state: string;
  processes: ProcessGroups;
}

/**
 * Creates a client on the scripted program of its kind, in its own project. Processes that it starts are ended with the
 * test.
 */
export function standIn(
  kind: StandIn,
  scenario: Record<string, unknown> & { steps: readonly unknown[] },
  {
    limits = {},
    environment = {},
    outside,
    called,
    clock = systemClock,
  }: {
    limits?: Partial<ProcessLimits>;
    environment?: Record<string, string>;
    outside?: string;
    /** Starts the scripted program under the name of a real one, whose settings it then has. */
    called?: string;
    /** The clock of the client; its programs are stopped by the system's. */
    clock?: Clock;
  } = {},
): Staged {
  const root = temporaryFolder({ 'README.md': '# A project\n' });
  const state = temporaryFolder();
  const script = join(state, 'scenario.json');
  writeFileSync(script, JSON.stringify(scenario));
  const plain = [process.execPath, file(PROGRAMS[kind]), script] as const;
  const named = called === undefined ? undefined : join(state, called);
  if (named !== undefined)
    writeFileSync(named, `#!/bin/sh\nexec ${plain.map((word) => `'${word}'`).join(' ')} "$@"\n`, { mode: 0o755 });
  const processes = new ProcessGroups(state, systemClock, { ...SHORT, ...limits });
  onTestFinished(() => processes.stopAll());
  const parts = {
    root,
    // The contents of that folder are tested with `OutsideTree`.
    outside: { prepare: async () => outside ?? root },
    processes,
    clock,
    environment: { PATH: process.env['PATH'], HOME: root, ...environment },
    command: named === undefined ? plain : ([named] as const),
  };
  return { client: kind === 'acp' ? new AcpClient(parts) : new ClaudeCodeClient(parts), root, state, processes };
}

export function aTurn(over: Partial<Omit<Turn, 'member'>> & { member?: Partial<Turn['member']> } = {}): Turn {
  const { member, ...rest } = over;
  return {
    conv: 'conv-1',
    turn: 'turn-1',
    text: 'What is this?',
    context_docs: [],
    profile: 'operator',
    session: null,
    history: [],
    ...rest,
    member: {
      id: 'developer',
      name: 'Developer',
      body: 'You write code.',
      model: 'strongest',
      effort: 'default',
      tools: ['read', 'search', 'edit', 'execute', 'web'],
      refs: [],
      limits: { turns: 10, minutes: 10 },
      ...member,
    },
  };
}

interface PlayedTurn {
  text: string;
  calls: ToolCall[];
  sessions: string[];
  usage: Usage | undefined;
  /** Every report of the usage, in order. */
  usages: Usage[];
  sessionCost: number | undefined;
  progress: string[];
  hasEnded: boolean;
  error: Error | undefined;
  asked: PermissionQuestion[];
  ms: number;
}

/** Runs one turn to its end and returns everything it reported. */
export async function play(
  client: Client,
  turn: Turn,
  {
    signal = new AbortController().signal,
    decide = 'deny',
    onCall,
  }: { signal?: AbortSignal; decide?: Decision | Decide; onCall?: (call: ToolCall) => void } = {},
): Promise<PlayedTurn> {
  const played: PlayedTurn = {
    text: '',
    calls: [],
    sessions: [],
    usage: undefined,
    usages: [],
    sessionCost: undefined,
    progress: [],
    hasEnded: false,
    error: undefined,
    asked: [],
    ms: 0,
  };
  const startedMs = performance.now();
  const answer: Decide = async (question) => {
    played.asked.push(question);
    return typeof decide === 'string' ? decide : decide(question);
  };
  try {
    for await (const event of client.run(turn, signal, answer)) {
      if (event.type === 'text') played.text += event.text;
      else if (event.type === 'session') {
        played.sessions.push(event.session);
        played.sessionCost = event.cost_usd;
      } else if (event.type === 'usage') {
        played.usage = event.usage;
        played.usages.push(event.usage);
      } else if (event.type === 'progress') played.progress.push(event.stage);
      else if (event.type === 'tool') {
        played.calls.push(event.call);
        onCall?.(event.call);
      } else played.hasEnded = true;
    }
  } catch (error) {
    played.error = error as Error;
  }
  played.ms = performance.now() - startedMs;
  return played;
}

/** Returns the running processes of the group, as the system lists them. */
export function groupMembers(pgid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      const fields = getStat(pid);
      return fields !== undefined && Number(fields[2]) === pgid && fields[0] !== 'Z';
    });
}

export function isAlive(pid: number): boolean {
  const fields = getStat(pid);
  return fields !== undefined && fields[0] !== 'Z';
}

function getStat(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

/** Returns the process group of a scripted program, which reports its pid in its session id. */
export function getProcessGroup({ sessions }: PlayedTurn): number {
  const pid = /^scripted-(\d+)$/.exec(sessions[0] ?? '')?.[1];
  if (pid === undefined) throw new Error('the scripted program has not named itself');
  return Number(pid);
}

/** Returns the runs that are still in the journal. */
export const journalled = (state: string): string[] => {
  try {
    return readdirSync(join(state, 'runs'));
  } catch {
    return [];
  }
};
