import { SelectField, TextArea, TextField } from '../../../components/field.js';
import { toDisplayText } from '../../../lib/format/display-text.js';
import type { InputField, Typed } from './schema-fields.js';

interface InputFieldsProps {
  fields: readonly InputField[];
  typed: Typed;
  problems: Typed;
  onType: (name: string, value: string) => void;
}

/** The fields of a skill's input, one per property. */
export function InputFields({ fields, typed, problems, onType }: InputFieldsProps) {
  return fields.map((field) => {
    const { name, kind, says, choices, isRequired, initial, maxLength } = field;
    const shared = {
      label: isRequired ? name : `${name}, optional`,
      hint: says === '' ? undefined : toDisplayText(says),
      error: problems[name],
      value: typed[name] ?? initial,
      onChange: (event: { target: { value: string } }) => onType(name, event.target.value),
    };
    if (kind === 'choice') {
      const options = isRequired && initial !== '' ? choices : [{ value: '', label: 'Not set' }, ...choices];
      return <SelectField key={name} {...shared} options={options} />;
    }
    if (kind === 'text' || kind === 'lines') {
      return (
        <TextArea
          key={name}
          {...shared}
          hint={kind === 'lines' ? <>One a line. {shared.hint}</> : shared.hint}
          rows={2}
        />
      );
    }
    if (kind === 'json') return <TextArea key={name} {...shared} hint={<>As JSON. {shared.hint}</>} isCode rows={3} />;
    return <TextField key={name} {...shared} inputMode={kind === 'line' ? 'text' : 'decimal'} maxLength={maxLength} />;
  });
}
