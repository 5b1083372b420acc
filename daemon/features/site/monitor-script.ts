import { INVISIBLE_CHARS } from '../../lib/text/display-text.js';

/**
 * The script of the monitor page: joins a public cluster's Wall as a ghost and appends its messages. Untrusted text is
 * only inserted as text nodes; the content security policy also prevents scripts from creating markup from strings.
 */
export const MONITOR_SCRIPT = String.raw`'use strict';
(() => {
  const wall = document.getElementById('wall');
  const state = document.getElementById('state');
  const lines = document.getElementById('lines');
  const chip = document.querySelector('#online > span');
  const LINES_MAX = 200;
  const CHARS_MAX = 4000;
  const STREAMS_MAX = 50;
  const WAIT_MAX_MS = 30000;
  const address = location.origin.replace(/^http/, 'ws') + '/v1/clusters/' + wall.dataset.cluster + '/ws?agent=monitor&vis=ghost&mask=1';
  const invisible = ${INVISIBLE_CHARS};
  const escaped = (char) => '\\u{' + char.codePointAt(0).toString(16) + '}';
  let waitMs = 1000;
  let online = new Set();
  let waiting = [];
  let streams = new Map();

  const plain = (value) => {
    const text = String(value);
    return (text.length > CHARS_MAX ? text.slice(0, CHARS_MAX) + '…' : text).replace(invisible, escaped);
  };
  const element = (name, className, text) => {
    const made = document.createElement(name);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  };

  const draw = () => {
    const isAtEnd = window.innerHeight + window.scrollY >= document.documentElement.scrollHeight - 40;
    lines.append(...waiting);
    waiting = [];
    while (lines.childElementCount > LINES_MAX) lines.firstElementChild.remove();
    if (isAtEnd) window.scrollTo(0, document.documentElement.scrollHeight);
  };
  const put = (line) => {
    if (waiting.length === 0) (document.hidden ? (run) => setTimeout(run, 500) : requestAnimationFrame)(draw);
    waiting.push(line);
    if (waiting.length > LINES_MAX) waiting.shift();
  };

  const note = (text) => put(element('p', 'note', text));
  const said = (from, seconds, text, about) => {
    const line = element('p');
    const when = new Date(seconds * 1000);
    const time = element('time', '', when.toLocaleTimeString([], { hour12: false }));
    time.dateTime = when.toISOString();
    const who = element('bdi', 'who', plain(from));
    const words = element('span', 'words-said', plain(text));
    words.dir = 'auto';
    line.append(time, ' ', who, ' ', words);
    if (about.length > 0) line.append(' ', element('small', '', about.map((name) => '#' + plain(name)).join(' ')));
    put(line);
  };

  const mediaOf = (media) =>
    Array.isArray(media) ? media.slice(0, 20).map((item) => '[' + String((item && item.mime) || 'file').slice(0, 100) + ']') : [];
  const textOf = (payload) => {
    if (typeof payload === 'string') return payload;
    if (typeof payload !== 'object' || payload === null) return JSON.stringify(payload);
    const parts = [...(typeof payload.text === 'string' ? [payload.text] : []), ...mediaOf(payload.media)];
    return parts.length > 0 ? parts.join(' ') : JSON.stringify(payload);
  };
  // A streamed message is one line, once it is whole.
  const streamed = (from, payload) => {
    const isPiece = typeof payload === 'object' && payload !== null && payload.type === 'message' && typeof payload.stream === 'string';
    if (!isPiece || typeof payload.delta !== 'string' || !Number.isInteger(payload.seq)) return { isPiece: false };
    const key = JSON.stringify([from, payload.stream]);
    const pieces = streams.get(key) || [];
    streams.delete(key);
    if (pieces.length < CHARS_MAX) pieces.push([payload.seq, payload.delta.slice(0, CHARS_MAX)]);
    if (payload.done === true) return { isPiece: true, text: pieces.sort(([a], [b]) => a - b).map(([, delta]) => delta).join('') };
    streams.set(key, pieces);
    if (streams.size > STREAMS_MAX) streams.delete(streams.keys().next().value);
    return { isPiece: true };
  };

  const showOnline = () => {
    chip.textContent = online.size + ' online';
    chip.className = 'chip ' + (online.size > 0 ? 'on' : 'off');
  };
  const take = {
    ready(frame) {
      waitMs = 1000;
      online = new Set(frame.online);
      showOnline();
      state.textContent = 'Connected.';
    },
    presence(frame) {
      if (frame.status === 'online') online.add(frame.agent);
      else online.delete(frame.agent);
      showOnline();
      note(plain(frame.agent) + (frame.status === 'online' ? ' came.' : ' left.'));
    },
    message(frame) {
      const { isPiece, text } = streamed(frame.from, frame.payload);
      if (isPiece && text === undefined) return;
      said(frame.from, frame.ts, isPiece ? text : textOf(frame.payload), [frame.board, frame.ref].filter((one) => one !== undefined));
    },
    board(frame) {
      const title = frame.title === undefined ? '' : ' “' + plain(frame.title) + '”';
      note('#' + plain(frame.slug) + ': ' + plain(frame.event).replace('_', ' ') + title);
    },
    closed() {
      waitMs = Infinity;
      state.textContent = 'The cluster was deleted.';
    },
  };

  const connect = () => {
    const socket = new WebSocket(address);
    streams = new Map();
    socket.onmessage = ({ data }) => {
      const frame = JSON.parse(data);
      if (Object.hasOwn(take, frame.kind)) take[frame.kind](frame);
    };
    socket.onclose = () => {
      online = new Set();
      showOnline();
      if (waitMs === Infinity) return;
      state.textContent = 'Not connected: what is said meanwhile is not seen. Trying again…';
      wait();
    };
  };
  const wait = () => {
    setTimeout(ask, waitMs * (0.75 + Math.random() / 2));
    waitMs = Math.min(WAIT_MAX_MS, waitMs * 2);
  };
  // Firefox delays a WebSocket to an address that refused some by up to a minute, and requests never.
  const ask = () => fetch('/health', { cache: 'no-store', signal: AbortSignal.timeout(10000) }).then(connect, wait);
  connect();
})();
`;
