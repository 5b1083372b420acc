import { useQuery } from '@tanstack/react-query';
import type { EDITOR_CHOICES, Editors } from '../../../daemon/contract/code.js';
import { SelectField } from '../../components/field.js';
import { editorsQuery } from '../knowledge/editors-query.js';

type Choice = (typeof EDITOR_CHOICES)[number];

function listOptions({ editors }: Editors): { value: Choice; label: string }[] {
  const first = editors.find(({ is_found }) => is_found);
  return [
    { value: 'automatic', label: `the first that is found${first ? `: ${first.name}` : ''}` },
    ...editors.map(({ editor, name, is_found }) => ({
      value: editor,
      label: is_found ? name : `${name} (no ${editor} on the PATH)`,
    })),
    { value: 'none', label: 'none' },
  ];
}

/** The choice of the editor that files of the project open in. */
export function EditorField({ chosen, onChoose }: { chosen: Choice; onChoose: (choice: Choice) => void }) {
  const { data } = useQuery(editorsQuery());
  if (!data) return null;
  const options = listOptions(data);
  const isNoneFound = data.editors.every(({ is_found }) => !is_found);
  return (
    <SelectField
      label="Editor"
      hint={
        isNoneFound
          ? 'None is found on the PATH of the daemon. Install the command of your editor, and restart the daemon.'
          : 'Files of the project open in it, also with meshd open <path>:<line>.'
      }
      value={chosen}
      options={options}
      onChange={({ target }) => onChoose(options.find(({ value }) => value === target.value)?.value ?? 'automatic')}
    />
  );
}
