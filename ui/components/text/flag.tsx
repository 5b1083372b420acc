import { createFlag } from '../../lib/format/flag-code.js';
import styles from './flag.module.css';

interface FlagProps {
  id: string;
  size?: number;
  /** The member is working: the flag is raised. */
  isRaised?: boolean;
  /** The member is exposed: the flag has a notch. */
  isExposed?: boolean;
}

/** The flag of a member, derived from its id. Decorative: the name is always beside it. */
export function Flag({ id, size = 24, isRaised = false, isExposed = false }: FlagProps) {
  const { pattern, field, charge } = createFlag(id);
  return (
    <svg
      className={isRaised ? `${styles.flag} ${styles.raised}` : styles.flag}
      width={size}
      height={size}
      viewBox="0 0 24 24"
      aria-hidden="true"
      focusable="false"
    >
      <path className={styles.mast} d="M2 1v22" />
      <g className={styles.cloth}>
        <svg
          x="3"
          y="1.500"
          width="20"
          height="13.500"
          viewBox="0 0 18 12"
          preserveAspectRatio="none"
          aria-hidden="true"
        >
          <rect width="18" height="12" fill={field} />
          <path d={pattern} fill={charge} />
        </svg>
        <path className={styles.hem} d="M3 1.500h20v13.500H3z" />
        {isExposed && <path className={styles.notch} d="M23.600 3.500v9.500L17.600 8.250z" />}
      </g>
    </svg>
  );
}
