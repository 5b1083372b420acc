import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import type { Health } from '../../daemon/contract/system.js';
import { recentRequestsQuery } from '../features/asks/asks-queries.js';
import { budgetsQuery } from '../features/budgets/budgets-query.js';
import { permissionsQuery } from '../features/conversations/conversations-queries.js';
import { approvalsQuery } from '../features/payments/approvals-query.js';
import { scheduleNeedsQuery } from '../features/schedules/schedule-needs-query.js';
import { systemKeys } from '../features/system/system-queries.js';
import { teamQuery } from '../features/team/team-queries.js';
import { toDisplayText } from '../lib/format/display-text.js';
import type { Need } from './needs-you.js';
import { createNotice, gathered, type Notice } from './notices.js';

/** Locks of the project: the one tab that shows notifications holds the first, every focused tab the second. */
const TELLER = 'meshd.teller';
const LOOKED_AT = 'meshd.looked-at';

/** All that the operator's needs are read from. */
const PARTS = [teamQuery, recentRequestsQuery, permissionsQuery, approvalsQuery, budgetsQuery, scheduleNeedsQuery];

/** Holds a lock until the returned function is called. */
function holdLock(name: string, mode: LockMode, onHeld: () => void = () => undefined): () => void {
  const waits = new AbortController();
  let letGo = () => waits.abort();
  const held = () => {
    onHeld();
    return new Promise<void>((resolve) => {
      letGo = resolve;
    });
  };
  // The lock was released while it was waited for.
  navigator.locks.request(name, { mode, signal: waits.signal }, held).catch(() => undefined);
  return () => letGo();
}

/** Reports whether any tab of the project has the focus. */
async function isAnyTabFocused(): Promise<boolean> {
  const { held = [] } = await navigator.locks.query();
  return held.some(({ name }) => name === LOOKED_AT);
}

function useLookedAt(): void {
  useEffect(() => {
    let release: (() => void) | undefined;
    const look = () => {
      if (document.hasFocus()) release ??= holdLock(LOOKED_AT, 'shared');
      else {
        release?.();
        release = undefined;
      }
    };
    look();
    window.addEventListener('focus', look);
    window.addEventListener('blur', look);
    return () => {
      release?.();
      window.removeEventListener('focus', look);
      window.removeEventListener('blur', look);
    };
  }, []);
}

/**
 * Shows browser notifications for what needs the operator since the page was opened: in one tab only, and only while no
 * tab has the focus.
 */
export default function Notifier({ needs }: { needs: readonly Need[] }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const isTeller = useRef(false);
  const known = useRef<ReadonlySet<string>>(undefined);
  const shown = useRef(new Map<string, Notification>());
  useLookedAt();
  useEffect(() => {
    const letGo = holdLock(TELLER, 'exclusive', () => {
      isTeller.current = true;
    });
    return () => {
      isTeller.current = false;
      letGo();
    };
  }, []);
  useEffect(() => {
    // What existed at the first read is on the home page and not new.
    if (PARTS.some((part) => client.getQueryData<unknown>(part().queryKey) === undefined)) return;
    const notices = needs.map(createNotice);
    const keys = new Set(notices.map(({ key }) => key));
    const fresh = known.current ? notices.filter(({ key }) => !known.current?.has(key)) : [];
    known.current = keys;
    for (const [key, notification] of shown.current)
      if (!key.split('\n').some((one) => keys.has(one))) notification.close();

    const show = ({ key, title, to }: Notice) => {
      const project = client.getQueryData<Health>(systemKeys.health)?.project ?? '';
      const notification = new Notification(toDisplayText(title), {
        body: toDisplayText(project),
        tag: `${window.location.host} ${key}`,
      });
      notification.onclick = () => {
        window.focus();
        notification.close();
        void navigate(to as Parameters<typeof navigate>[0]);
      };
      notification.onclose = () => shown.current.delete(key);
      shown.current.set(key, notification);
    };
    const tell = async () => {
      if (!isTeller.current || Notification.permission !== 'granted' || (await isAnyTabFocused())) return;
      for (const notice of gathered(fresh)) show(notice);
    };
    // A browser that shows notifications only from a service worker rejects here. The home page lists the same.
    if (fresh.length > 0) void tell().catch(() => undefined);
  }, [needs, client, navigate]);
  return null;
}
