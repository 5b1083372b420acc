import { useEffect, useState } from 'react';
import { setDaemonGone } from '../components/daemon-gone.js';
import { Notice } from '../components/notes.js';
import { InTerminal } from '../components/text/in-terminal.js';
import { useShell } from '../features/projects/use-shell.js';
import { shellWords } from '../lib/shell-words.js';
import { useLineStatus } from './live-updates.js';

/** A daemon that is being restarted is back sooner. */
const GONE_AFTER_MS = 1_500;

/**
 * Says on every page that the daemon is gone, what that means for the page, and how to start it. A dialog, which covers
 * the page, says so itself.
 */
export default function OfflineNotice() {
  const isOffline = useLineStatus().state === 'offline';
  const [isGone, setIsGone] = useState(false);
  // Read while the daemon runs.
  const { root, command } = useShell();
  useEffect(() => {
    if (!isOffline) return setIsGone(false);
    const timer = setTimeout(() => setIsGone(true), GONE_AFTER_MS);
    return () => clearTimeout(timer);
  }, [isOffline]);
  const start = shellWords([...command, 'up', ...(root === undefined ? [] : ['--root', root])]);
  useEffect(() => setDaemonGone(isGone ? start : undefined), [isGone, start]);
  return (
    <div role="status">
      {isGone && (
        <Notice tone="failed">
          <p>
            The daemon of this project does not answer. What is shown is the last known state; a page that was not
            opened before is loaded when the daemon runs again. What you typed is kept.
          </p>
          <InTerminal command={start} />
        </Notice>
      )}
    </div>
  );
}
