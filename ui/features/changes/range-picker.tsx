import type { Checkpoint } from '../../../daemon/contract/work/changes.js';
import { SelectField } from '../../components/field.js';
import { countWords, formatCheckpoint, getRange, isSameRange } from './changes-format.js';
import type { Range } from './changes-queries.js';
import { CHANGES_BASE, CHECKPOINT_START, WORKING_FILES } from './limits.js';

interface RangePickerProps {
  checkpoints: readonly Checkpoint[];
  range: Range;
  onChange: (range: Range) => void;
}

const WHOLE = 'whole';
const SINCE_BASE = 'Since the start or the last merge';
const OTHER = 'other';

/** Chooses what is compared: all that is not merged yet, one turn, or any two states. */
export function RangePicker({ checkpoints, range, onChange }: RangePickerProps) {
  const turns = checkpoints.filter(({ kind }) => kind === 'turn').toReversed();
  const whole: Range = { from: undefined, to: undefined };
  const ranges = new Map<string, Range>([
    [WHOLE, whole],
    ...turns.map((turn): [string, Range] => [turn.checkpoint, getRange(turn, checkpoints)]),
  ]);
  const chosen = [...ranges].find(([, one]) => isSameRange(one, range))?.[0] ?? OTHER;
  const states = [
    ...checkpoints.map((one) => ({ value: one.checkpoint, label: formatCheckpoint(one, checkpoints) })),
    { value: WORKING_FILES, label: 'Files as they are now' },
  ];
  return (
    <>
      <SelectField
        label="Changes of"
        value={chosen}
        options={[
          { value: WHOLE, label: SINCE_BASE },
          ...turns.map((turn) => ({
            value: turn.checkpoint,
            label: `${formatCheckpoint(turn, checkpoints)}: ${countWords(turn.files, 'file')}`,
          })),
          { value: OTHER, label: 'Two states…' },
        ]}
        onChange={(event) => onChange(ranges.get(event.target.value) ?? newestPair(checkpoints))}
      />
      {chosen === OTHER && (
        <>
          <SelectField
            label="From"
            value={range.from ?? CHANGES_BASE}
            options={[{ value: CHANGES_BASE, label: 'The start or the last merge' }, ...states]}
            onChange={(event) => onChange({ ...range, from: event.target.value })}
          />
          <SelectField
            label="To"
            value={range.to ?? WORKING_FILES}
            options={states}
            onChange={(event) => onChange({ ...range, to: event.target.value })}
          />
        </>
      )}
    </>
  );
}

/** The range that is shown first when two states are to be chosen: one that no other option stands for. */
function newestPair(checkpoints: readonly Checkpoint[]): Range {
  return { from: checkpoints.at(-1)?.checkpoint ?? CHECKPOINT_START, to: WORKING_FILES };
}
