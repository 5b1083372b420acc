import type { ReactNode } from 'react';
import { StatusMark } from '../../components/status-mark.js';
import tones from '../../components/tones.module.css';
import styles from './tests.module.css';
import type { TestStatus } from './tests-format.js';

const SHAPES: Partial<Record<TestStatus, ReactNode>> = {
  passed: <path d="m2 8.500 4 4 8-9.500" />,
  failed: <path d="m3 3 10 10M13 3 3 13" />,
  waiting: <circle cx="8" cy="8" r="5.500" />,
  'not run': <path d="M4 8h8" />,
};
const TONES: Partial<Record<TestStatus, string | undefined>> = { passed: tones.well, failed: tones.failed };

/** Shows a state as shape and word: no meaning depends on colour alone. */
export function TestMark({ standing: testStatus }: { standing: TestStatus }) {
  if (testStatus === 'asking') return <StatusMark word="working" />;
  return (
    <span className={`${styles.mark} ${TONES[testStatus] ?? ''}`}>
      <svg viewBox="0 0 16 16" aria-hidden="true" focusable="false">
        {SHAPES[testStatus]}
      </svg>
      {testStatus}
    </span>
  );
}
