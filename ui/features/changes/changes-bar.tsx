import type { Checkpoint } from '../../../daemon/contract/work/changes.js';
import { ChoiceField } from '../../components/field.js';
import segments from '../../components/segments.module.css';
import type { Range } from './changes-queries.js';
import type { View } from './diff/diff-block.js';
import { RangePicker } from './range-picker.js';

interface ChangesBarProps {
  checkpoints: readonly Checkpoint[];
  range: Range;
  view: View;
  /** The window is too narrow for two columns. */
  isNarrow: boolean;
  ignoresSpaces: boolean;
  hidesViewed: boolean;
  onChange: (change: { range?: Range; view?: View; ignoresSpaces?: boolean; hidesViewed?: boolean }) => void;
}

const VIEWS: readonly { view: View; name: string }[] = [
  { view: 'unified', name: 'Unified' },
  { view: 'split', name: 'Split' },
];

/** What is compared, and how it is shown. */
export function ChangesBar(props: ChangesBarProps) {
  const { checkpoints, range, view, isNarrow, ignoresSpaces, hidesViewed, onChange } = props;
  return (
    <div className="choices">
      <RangePicker checkpoints={checkpoints} range={range} onChange={(changed) => onChange({ range: changed })} />
      {!isNarrow && (
        <fieldset className={segments.segments}>
          <legend className="visually-hidden">View</legend>
          {VIEWS.map((one) => (
            <button
              key={one.view}
              type="button"
              className={segments.segment}
              aria-pressed={one.view === view}
              onClick={() => onChange({ view: one.view })}
            >
              {one.name}
            </button>
          ))}
        </fieldset>
      )}
      <ChoiceField
        label="Hide whitespace"
        checked={ignoresSpaces}
        onChange={(event) => onChange({ ignoresSpaces: event.target.checked })}
      />
      <ChoiceField
        label="Hide viewed files"
        checked={hidesViewed}
        onChange={(event) => onChange({ hidesViewed: event.target.checked })}
      />
    </div>
  );
}
