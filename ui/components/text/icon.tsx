/** Line icons on a grid of 16 units. There are few, so that they add little to the bundle. */
const paths = {
  desk: 'M2 9.500h3.500l1 2h3l1-2H14M3.800 3h8.400L14 9.500V13H2V9.500z',
  team: 'M3.500 14.500v-13M3.500 2.500h9l-2.500 3 2.500 3h-9',
  requests: 'M3.500 1.500h9v13l-2.250-1.500L8 14.500 5.750 13 3.500 14.500zM6 5h4M6 8h4',
  talk: 'M2 2.500h12v8.500H7.500L4 14v-3H2zM5 5.500h6M5 8h4',
  rooms:
    'M8 1.500v2.500M5 14.500 6.250 6h3.500L11 14.500M3.500 14.500h9M6 9.500h4M5.250 6h5.500M2 3.500 4.500 ' +
    '4.500M14 3.500l-2.500 1',
  map:
    'M8 14.500S3.500 9.750 3.500 6a4.500 4.500 0 0 1 9 0c0 3.750-4.500 8.500-4.500 8.500zM8 4.500a1.500 1.500 0 ' +
    '1 1 0 3 1.500 1.500 0 0 1 0-3z',
  roadmap: 'm1.500 4 1.250 1.250L5 3M1.500 11.500l1.250 1.250L5 10.500M7.500 4.250h7M7.500 11.750h7',
  clock: 'M8 1.500a6.500 6.500 0 1 1 0 13 6.500 6.500 0 0 1 0-13zM8 4.500V8l2.500 2',
  find: 'M8 1.500a6.500 6.500 0 1 1 0 13 6.500 6.500 0 0 1 0-13zM11 5 9.250 9.250 5 11l1.750-4.250z',
  ledger: 'M3 1.500h10v13H3zM5.500 1.500v13M8 5h3M8 8h3M8 11h3',
  system: 'M1.500 4.500h6M11 4.500h3.500M9.250 2.750v3.500M1.500 11.500H5M8.500 11.500h6M6.750 9.750v3.500',
  search: 'M7 2.500a4.500 4.500 0 1 1 0 9 4.500 4.500 0 0 1 0-9zM10.300 10.300 14 14',
  keyboard: 'M1.500 4h13v8.500h-13zM4 7h.01M6.700 7h.01M9.300 7h.01M12 7h.01M5 10h6',
  narrow: 'M2 2.500h12v11H2zM6 2.500v11M11 6 9 8l2 2',
  code: 'm5.500 4.500-3.500 3.500 3.500 3.500M10.500 4.500l3.500 3.500-3.500 3.500M9.200 3 6.800 13',
  fold: 'm4 10 4-4 4 4',
  unfold: 'm4 6 4 4 4-4',
  widen: 'M2 2.500h12v11H2zM6 2.500v11M9 6l2 2-2 2',
  close: 'm4 4 8 8M12 4l-8 8',
  copy: 'M5.500 5.500h8v8h-8zM10.500 5.500v-3h-8v8h3',
  check: 'm2.500 8.500 3.500 3.500 7.500-8',
  plus: 'M8 3v10M3 8h10',
  out: 'M9.500 2.500h4v4M13.500 2.500 7.500 8.500M11.500 9.500v4h-9v-9h4',
  show:
    'M1.500 8S4 3.500 8 3.500 14.500 8 14.500 8 12 12.500 8 12.500 1.500 8 1.500 8zM8 6.250a1.750 1.750 0 1 1 0 ' +
    '3.500 1.750 1.750 0 0 1 0-3.500z',
  again: 'M13.500 8A5.500 5.500 0 1 1 8 2.500c2 0 3.700 1 5 2.500M13.300 2v3.200h-3.200',
  warn: 'M8 2 15 14H1zM8 6.500v3.500M8 12v.01',
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={paths[name]} />
    </svg>
  );
}
