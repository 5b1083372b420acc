import { textFrame } from '../../lib/websocket-frame.js';
import type { Scope } from './hashtags.js';

/** What a member said, without who said it to whom. */
export interface UnaddressedMessage {
  /** Seconds since 1970. */
  ts: number;
  scope: Scope;
  /** JSON text. */
  payload: string;
}

/** The end of a message's JSON, the same for all who receive it. */
export function getTail({ ts, scope, payload }: UnaddressedMessage): string {
  const board = scope.board === undefined ? '' : `,"board":${JSON.stringify(scope.board)}`;
  const ref = scope.ref === undefined ? '' : `,"ref":${JSON.stringify(scope.ref)}`;
  return `,"ts":${ts}${board}${ref},"payload":${payload}}`;
}

const getHead = (name: string) => `{"kind":"message","from":${JSON.stringify(name)}`;

/** The frames of one sender, with the precomputed beginning of each. */
export class FramesOf {
  private readonly toAll: string;
  private readonly toOne: string;

  constructor(
    private readonly handle: string,
    did: string | null,
  ) {
    this.toAll = `${getHead(handle)},"to":null`;
    this.toOne = `${getHead(handle)},"from_did":${JSON.stringify(did)},"to":`;
  }

  /** A broadcast, in which the sender has the name that the receiver may see. */
  broadcast(name: string, tail: string): Buffer {
    return textFrame(`${name === this.handle ? this.toAll : `${getHead(name)},"to":null`}${tail}`);
  }

  direct(recipient: string, tail: string): Buffer {
    return textFrame(`${this.toOne}${JSON.stringify(recipient)}${tail}`);
  }
}
