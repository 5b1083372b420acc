import styles from './introduction.module.css';

const PICTURE =
  'You and your programs ask the members of the team. meshd, on this machine, searches the files of the project and ' +
  'returns an answer with quotes by file and line.';

/** What meshd is, in three sentences and a picture. */
export function Introduction() {
  return (
    <div className={styles.introduction}>
      <Picture />
      <div className={styles.sentences}>
        <p>
          meshd answers questions about this project with quotes from its files, each verified against the file as it is
          now.
        </p>
        <p>
          You ask the members of its team, which are Markdown files in <code>.mesh/team</code>; programs ask them over
          HTTP, A2A or MCP.
        </p>
        <p>
          Connect a model, and members also carry out tasks, whose changes you review; until you connect something,
          nothing leaves this machine.
        </p>
      </div>
    </div>
  );
}

function Picture() {
  return (
    <svg
      className={styles.picture}
      viewBox="0 0 340 172"
      role="img"
      aria-label={PICTURE}
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <g className={styles.box}>
        <rect x="1" y="18" width="82" height="44" rx="3" />
        <rect x="1" y="110" width="82" height="44" rx="3" />
        <rect x="131" y="1" width="92" height="170" rx="3" />
        <path d="M272 30h46l20 20v92h-66zM318 30v20h20" />
      </g>
      <g className={styles.label} fontSize="12" textAnchor="middle">
        <text x="42" y="44">
          You
        </text>
        <text x="42" y="136">
          Programs
        </text>
        <text x="177" y="24">
          meshd
        </text>
        <text x="305" y="164">
          Project files
        </text>
      </g>
      <g className={styles.flag}>
        <path d="M145 42v30M145 90v30M145 138v24" />
        <path className={styles.cloth} d="M145 43h20v14h-20zM145 139h20v12h-20z" />
        <path className={styles.otherCloth} d="M145 91h20v14h-20z" />
      </g>
      <g className={styles.text} strokeWidth="3">
        <path d="M173 50h36M173 60h24M173 98h36M173 108h24M173 146h36M173 155h24" />
        <path d="M282 66h40M282 78h46M282 106h46M282 118h30M282 130h42" />
        <path className={styles.quote} strokeWidth="5" d="M282 92h46" />
      </g>
      <g>
        <path className={styles.quote} d="M87 36h38m-6-4 6 4-6 4M87 128h38m-6-4 6 4-6 4" />
        <path className={styles.quote} d="M125 52H87m6-4-6 4 6 4M125 144H87m6-4-6 4 6 4" />
        <path className={styles.quote} d="M268 92h-39m6-4-6 4 6 4" />
      </g>
    </svg>
  );
}
