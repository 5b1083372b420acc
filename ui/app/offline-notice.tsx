import { useEffect, useState } from 'react';
import { setDaemonGone } from '../components/daemon-gone.js';
import { Notice } from '../components/notes.js';
import { InTerminal } from '../components/text/in-terminal.js';
import { useShell } from '../features/projects/use-shell.js';
import { shellWords } from '../lib/shell-words.js';
import { useLineStatus } from './live-updates.js';

/** A daemon that is being restarted is back sooner. */
const GONE_AFTER_MS = 1_500;

/** Whether the daemon sent this page from another build than its own. */
const isOfOtherBuild = () => document.documentElement.dataset['replaced'] !== undefined;

/**
 * Says on every page that the daemon is gone, what that means for the page, and how to start it, or that the page is of
 * another build than the daemon. A dialog, which covers the page, says itself that the daemon is gone.
 */
export default function OfflineNotice() {
  const isOffline = useLineStatus().state === 'offline';
  const [isGone, setIsGone] = useState(false);
  // Read while the daemon runs.
  const { root, command } = useShell();
  const [isReplaced, setIsReplaced] = useState(isOfOtherBuild);
  useEffect(() => {
    if (!isOffline) return setIsGone(false);
    // The daemon that comes back is one of the other build.
    setIsReplaced(false);
    const timer = setTimeout(() => setIsGone(true), GONE_AFTER_MS);
    return () => clearTimeout(timer);
  }, [isOffline]);
  const words = (name: string) => shellWords([...command, name, ...(root === undefined ? [] : ['--root', root])]);
  const start = words('up');
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
      {isReplaced && !isGone && (
        <Notice tone="failed">
          <p>
            Another version of meshd was installed while this daemon runs, and this page is of that one: some of it does
            not work until the daemon is started again.
          </p>
          <InTerminal command={`${words('down')} && ${start}`} />
        </Notice>
      )}
    </div>
  );
}
