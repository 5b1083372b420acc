import { useQuery } from '@tanstack/react-query';
import type { Permission } from '../../../../daemon/contract/conversations.js';
import type { NewRule, PermissionDetail } from '../../../../daemon/contract/permissions.js';
import type { FileLines } from '../../../../daemon/contract/system.js';
import { SelectField } from '../../../components/field.js';
import { Diff } from '../../../components/text/diff.js';
import { call, query } from '../../../lib/api.js';
import { toDisplayText } from '../../../lib/format/display-text.js';
import styles from './asked.module.css';
import { formatRule, formatScope } from './rule-format.js';

interface AskedDetailProps {
  permission: Permission;
  who: string;
  rule: NewRule | undefined;
  onRule: (rule: NewRule) => void;
}

/** What a permission request would do, and which rule "Always" would make. */
export default function AskedDetail({ permission, who, rule, onRule }: AskedDetailProps) {
  const { detail } = permission;
  return (
    <>
      {detail && <Effect detail={detail} />}
      {rule && <RuleChoice permission={permission} who={who} rule={rule} onRule={onRule} />}
    </>
  );
}

function Effect({ detail }: { detail: PermissionDetail }) {
  const { kind, command = '', folder = '', environment = [], method, url, text = '' } = detail;
  switch (kind) {
    case 'command':
      return (
        <>
          <Whole label="Command" text={command} />
          <p className="small">
            In <code>{toDisplayText(folder)}</code>.{' '}
            {environment.length > 0 && `It sees ${toDisplayText(environment.join(', '))}.`}
          </p>
        </>
      );
    case 'edit':
      return <Changes detail={detail} />;
    case 'fetch':
      return <Whole label="Address" text={`${method} ${url}`} />;
    case 'input':
      return (
        <>
          <Whole label="Input" text={text} />
          {detail.cut && <TruncationNotice />}
        </>
      );
  }
}

/** A text of the agent to its end, with what would be invisible shown. Long ones scroll. */
function Whole({ label, text }: { label: string; text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard.
    <pre className={styles.whole} tabIndex={0}>
      <span className="visually-hidden">{label}: </span>
      {toDisplayText(text)}
    </pre>
  );
}

const TruncationNotice = () => (
  <p>
    <strong>Only the beginning is shown: it is too long to show whole.</strong>
  </p>
);

type Change = NonNullable<PermissionDetail['changes']>[number];

function Changes({ detail: { changes = [], changes_left_out = 0 } }: { detail: PermissionDetail }) {
  return (
    <>
      {changes.map((change, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the changes of a request do not move.
        <FileChange key={at} change={change} />
      ))}
      {changes_left_out > 0 && (
        <p>
          <strong>{changes_left_out} more changes are not shown.</strong>
        </p>
      )}
    </>
  );
}

/** The diff of one change. For a whole file, against what the file holds now. */
function FileChange({ change: { path, old_text, new_text, cut } }: { change: Change }) {
  const isWhole = old_text === null;
  const now = useQuery({
    queryKey: ['file', path, 'whole'],
    queryFn: ({ signal }) => call<FileLines>(`/project/file${query({ path, start: 1, end: 2_000 })}`, { signal }),
    enabled: isWhole && !path.startsWith('/'),
    retry: false,
  }).data;
  const isKnown = now !== undefined && now.end_line === now.total_lines;
  const before = old_text ?? (isKnown ? `${now.lines.join('\n')}${new_text.endsWith('\n') ? '\n' : ''}` : '');
  const shown = toDisplayText(path);
  return (
    <>
      <p className="small">
        <code>{shown}</code>
        {path.startsWith('/') && <strong> outside its folder</strong>}
        {isWhole && (isKnown ? ', the whole file' : ', its new text')}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard. */}
      <div className={styles.diff} tabIndex={0}>
        <Diff label={`Diff of ${shown}`} before={before} after={new_text} sameWords="Nothing changes." isFragment />
      </div>
      {cut && <TruncationNotice />}
    </>
  );
}

function RuleChoice({ permission: { always, scopes }, who, rule, onRule }: AskedDetailProps & { rule: NewRule }) {
  const chosen = always.findIndex(({ match, value }) => match === rule.match && value === rule.value);
  return (
    <div className={`cluster ${styles.rule}`}>
      <SelectField
        label="Always allows"
        value={String(chosen)}
        options={always.map((offer, at) => ({ value: String(at), label: formatRule(offer) }))}
        onChange={({ target }) => {
          const offer = always[Number(target.value)];
          if (offer) onRule({ ...rule, ...offer });
        }}
      />
      {scopes.length > 1 && (
        <SelectField
          label="Where"
          value={rule.scope}
          options={scopes.map((scope) => ({ value: scope, label: formatScope(scope, who) }))}
          onChange={({ target }) => onRule({ ...rule, scope: target.value === 'member' ? 'member' : 'conversation' })}
        />
      )}
    </div>
  );
}
