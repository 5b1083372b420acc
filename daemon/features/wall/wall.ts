import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import { CLOSE } from '../../contract/events.js';
import { BYTES_PER_SECOND, FRAME_MAX_BYTES, FRAMES_BURST, FRAMES_PER_SECOND } from '../../contract/wall.js';
import { readInSlices } from '../../lib/async/read-in-slices.js';
import { isMeshError, MeshError } from '../../lib/errors.js';
import type { Clock } from '../../lib/time/clock.js';
import { type FrameLimits, FrameRate } from '../../lib/time/frame-rate.js';
import type { Entered } from '../clusters/cluster-access.js';
import type { ClusterHub, JoinedConnection } from '../clusters/cluster-hub.js';
import type { Connection, Member } from '../clusters/connection.js';
import type { LiveCluster } from '../clusters/live-cluster.js';
import { parseScope, type Scope } from './hashtags.js';
import { FramesOf, getTail } from './message-frame.js';
import type { SharedWall } from './shared-wall.js';
import type { WallBoards } from './wall-boards.js';
import { readFrame } from './wall-frame.js';

export interface WallParts {
  hub: ClusterHub;
  boards: WallBoards;
  clock: Clock;
  /** The `seq` of the cluster that currently has the id. */
  getSeq: (clusterId: string) => number | undefined;
  /** Tells other daemons what is said here. */
  shared?: Pick<SharedWall, 'say'>;
  /** Reports an internal failure, whose details are not sent to the member. */
  failed: (error: unknown) => void;
  limits?: FrameLimits;
}

/** The state of a socket that is not closing. */
const OPEN = 1;

/** A connected member. */
interface Speaker {
  clusterId: string;
  cluster: LiveCluster;
  connection: Connection;
  frames: FramesOf;
}

function speakerAt(clusterId: string, { cluster, connection }: JoinedConnection): Speaker {
  const { handle, did } = connection.member;
  return { clusterId, cluster, connection, frames: new FramesOf(handle, did) };
}

/**
 * Returns what holds a socket back: nothing more is read from it until its bytes are within the limit again, so that
 * TCP slows the sender down. An ack is the only answer that a sender waits for, and does not tell it to pause.
 */
function brake(socket: WebSocket, rate: FrameRate, clock: Clock): () => void {
  let isHeld = false;
  const wait = () => {
    const waitMs = rate.waitMs();
    isHeld = waitMs > 0;
    if (isHeld) {
      socket.pause();
      clock.after(waitMs, wait);
    } else if (socket.readyState === OPEN) socket.resume();
  };
  return () => {
    if (!isHeld) wait();
  };
}

/** Rate limits per socket: more frames end it, more bytes wait. */
const WALL_LIMITS: FrameLimits = {
  framesPerSecond: FRAMES_PER_SECOND,
  burst: FRAMES_BURST,
  bytesPerSecond: BYTES_PER_SECOND,
};

/**
 * The live chat of clusters. Accepts a member's messages, adds their sender and scope, and forwards them through the
 * live cluster. Message content is neither stored nor logged. An invalid message results in an `error` frame to its
 * sender only. Spec: What the service does, 3 and 4; WebSocket frames.
 */
export class Wall {
  constructor(private readonly parts: WallParts) {}

  /** Connects an already authorized member and handles its messages from then on. */
  open({ cluster, role }: Entered, who: Omit<Member, 'isOwner'>, socket: WebSocket, connection: Socket): void {
    const { hub, clock, getSeq, limits } = this.parts;
    // The cluster may have been deleted between the check and the upgrade.
    if (getSeq(cluster.id) !== cluster.seq) {
      socket.close(CLOSE.deleted, 'the cluster was deleted');
      return;
    }
    const isOwner = role === 'admin' || (role === 'member' && cluster.visibility === 'public');
    const place = hub.join(cluster, { ...who, isOwner }, socket, connection);
    if (!place) return;
    const speaker = speakerAt(cluster.id, place);
    const rate = new FrameRate(clock, limits ?? WALL_LIMITS);
    readInSlices(connection, rate);
    const holdBack = brake(socket, rate, clock);
    const isAdmitted = (bytes: number) => {
      if (place.connection.isGone) return false;
      if (rate.admits(bytes)) return true;
      if (!rate.isOverFrames) {
        holdBack();
        return true;
      }
      place.cluster.dismiss(place.connection, CLOSE.policy, 'too many frames', {
        kind: 'error',
        detail: `Too much at once: at most ${FRAMES_PER_SECOND} frames a second.`,
      });
      socket.pause();
      return false;
    };
    for (const control of ['ping', 'pong'] as const) socket.on(control, (data) => void isAdmitted(data.length));
    socket.on('message', (data, isBinary) => {
      const bytes = data as Buffer;
      if (!isAdmitted(bytes.length)) return;
      place.connection.lives();
      if (bytes.length > FRAME_MAX_BYTES)
        place.cluster.dismiss(place.connection, CLOSE.tooBig, 'over 64 KiB', {
          kind: 'error',
          detail: `A frame has at most ${FRAME_MAX_BYTES} bytes.`,
        });
      else if (isBinary)
        place.cluster.dismiss(place.connection, CLOSE.unsupported, 'text frames only', {
          kind: 'error',
          detail: 'Send text frames only.',
        });
      else this.take(speaker, bytes.toString('utf8'), isAdmitted);
    });
  }

  private take(speaker: Speaker, frame: string, isAdmitted: (bytes: number) => boolean): void {
    const { clusterId, cluster, connection, frames } = speaker;
    try {
      if (connection.member.isOnlooker)
        throw new MeshError('forbidden', 'This socket is read-only: join without "mask" to send.');
      const { to, payload, text } = readFrame(frame);
      // Peers receive a text as JSON, in which a control character has six times its size.
      if (payload.length > FRAME_MAX_BYTES && !isAdmitted(Buffer.byteLength(payload) - Buffer.byteLength(frame)))
        return;
      const { boards, clock } = this.parts;
      const scope: Scope =
        text === undefined
          ? {}
          : parseScope(text, {
              isBoard: (slug) => Boolean(boards.findBoard(clusterId, slug)),
              isPost: (id) => boards.hasPost(clusterId, id),
            });
      const ts = Math.floor(clock.now() / 1000);
      const said = { ts, scope, payload };
      const tail = getTail(said);
      if (to === null) cluster.broadcast(connection, (name) => frames.broadcast(name, tail));
      else cluster.direct(connection, to, (recipient) => frames.direct(recipient, tail));
      this.parts.shared?.say(clusterId, connection.member, to, said);
    } catch (error) {
      if (!isMeshError(error)) this.parts.failed(error);
      cluster.answer(connection, {
        kind: 'error',
        detail: isMeshError(error) ? error.message : 'The frame could not be carried out.',
      });
    }
  }
}
