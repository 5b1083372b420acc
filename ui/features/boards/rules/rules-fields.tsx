import type { Props } from '../../../../daemon/contract/clusters.js';
import { SelectField, TextField } from '../../../components/field.js';
import { WhereField } from '../../places/where-field.js';
import styles from '../boards.module.css';
import { formatLanguage, languageOptions } from './languages.js';
import type { RulesDraft, RulesProblems } from './rules-draft.js';

interface RulesFieldsProps {
  draft: RulesDraft;
  problems: RulesProblems;
  onChange: (draft: RulesDraft) => void;
  /** The rules of the cluster, which apply where the board sets none. */
  room: Props | null;
}

/** The rules of a board. Empty fields inherit from the cluster. */
export function RulesFields({ draft, problems, onChange, room: clusterProps }: RulesFieldsProps) {
  const set = (changed: Partial<RulesDraft>) => onChange({ ...draft, ...changed });
  const age = clusterProps?.entry?.age_min;
  const most = clusterProps?.limits?.post_max_chars;
  return (
    <div className={styles.rulesFields}>
      <WhereField
        legend="Default place of posts"
        choice={draft.where}
        onChange={(where) => set({ where })}
        inherited={clusterProps?.where && { where: clusterProps.where, said: 'from the cluster' }}
        error={problems.where}
      />
      <div className={styles.pair}>
        <LanguageField
          value={draft.lang}
          inherited={clusterProps?.lang ? { lang: clusterProps.lang, said: 'from the cluster' } : undefined}
          onChange={(lang) => set({ lang })}
        />
        <TextField
          label="Maximum post length"
          inputMode="numeric"
          maxLength={6}
          placeholder={most === undefined ? 'no limit' : `${most}, from the cluster`}
          value={draft.mostChars}
          error={problems.mostChars}
          onChange={(event) => set({ mostChars: event.target.value })}
        />
        <TextField
          label="Least age of readers"
          hint="From 18 on, readers must declare their age. It is not verified."
          inputMode="numeric"
          maxLength={3}
          placeholder={age === undefined ? 'none' : `${age}, from the cluster`}
          value={draft.age}
          error={problems.age}
          onChange={(event) => set({ age: event.target.value })}
        />
        <TextField
          label="Requirements for members"
          hint="Separated by commas. Shown to everybody, not enforced."
          maxLength={1100}
          placeholder={
            clusterProps?.entry?.require?.length
              ? `${clusterProps.entry.require.join(', ')}, from the cluster`
              : 'a licence, a first name, …'
          }
          value={draft.require}
          error={problems.require}
          onChange={(event) => set({ require: event.target.value })}
        />
      </div>
    </div>
  );
}

interface LanguageFieldProps {
  /** Empty inherits. */
  value: string;
  /** The inherited language and its level: `from the board`. */
  inherited: { lang: string; said: string } | undefined;
  onChange: (lang: string) => void;
}

/** A choice of language: inherited, or one of those offered. */
export function LanguageField({ value, inherited, onChange }: LanguageFieldProps) {
  return (
    <SelectField
      label="Language"
      value={value}
      options={[
        { value: '', label: inherited ? `${formatLanguage(inherited.lang)}, ${inherited.said}` : 'Not given' },
        ...languageOptions(value || undefined),
      ]}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
