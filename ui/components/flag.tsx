import { type FlagPattern, flagOf } from '../lib/flag-code.js';
import styles from './flag.module.css';

interface FlagProps {
  id: string;
  size?: number;
  /** Working: the flag is up. */
  isRaised?: boolean;
  /** Open to the outside: the fly carries a notch. */
  isExposed?: boolean;
}

/** Signal flag of a member, drawn from its id. Decoration: it always stands beside the name. */
export function Flag({ id, size = 24, isRaised = false, isExposed = false }: FlagProps) {
  const { pattern, field, charge } = flagOf(id);
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
          <path d={charges[pattern]} fill={charge} />
        </svg>
        <path className={styles.hem} d="M3 1.500h20v13.500H3z" />
        {isExposed && <path className={styles.notch} d="M23.600 3.500v9.500L17.600 8.250z" />}
      </g>
    </svg>
  );
}

const charges: Record<FlagPattern, string> = {
  pale: 'M9 0h9v12H9z',
  fess: 'M0 6h18v6H0z',
  quarters: 'M0 0h9v6H0zM9 6h9v6H9z',
  cross: 'M7.200 0h3.600v4.200H18v3.600h-7.200V12H7.200V7.800H0V4.200h7.200z',
  saltire: 'M0 0h3.400L9 3.700 14.600 0H18v2.300L12.400 6 18 9.700V12h-3.400L9 8.300 3.400 12H0V9.700L5.600 6 0 2.300z',
  border: 'M4.500 3h9v6h-9z',
  bars: 'M0 4h18v4H0z',
  pallets: 'M6 0h6v12H6z',
  bend: 'M0 0v12h18z',
  disc: 'M5 6a4 4 0 1 1 8 0a4 4 0 1 1-8 0z',
  lozenge: 'M9 0.800 16.500 6 9 11.200 1.500 6z',
  pile: 'M0 0l13 6-13 6z',
  chequer: 'M0 0h4.500v4H0zM9 0h4.500v4H9zM4.500 4H9v4H4.500zM13.500 4H18v4h-4.500zM0 8h4.500v4H0zM9 8h4.500v4H9z',
  canton: 'M0 0h8v6.500H0z',
};
