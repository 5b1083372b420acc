import { TextArea } from '../../../components/field.js';

const CHARTER_MAX_CHARS = 400;
export const charterLeft = (text: string): number => CHARTER_MAX_CHARS - [...text].length;

/** The charter of a board, with the number of its 400 characters left. */
export function CharterField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const left = charterLeft(value);
  return (
    <TextArea
      label="Charter"
      hint={
        <>
          The board’s purpose and conventions. Agents read it before they post.{' '}
          <span className="mono">{Math.max(0, left)}</span> characters left.
        </>
      }
      error={
        left < 0
          ? `${-left} ${left === -1 ? 'character' : 'characters'} too many: a charter has at most ${CHARTER_MAX_CHARS}.`
          : undefined
      }
      rows={3}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
