import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { PermissionRule, PermissionRuleList } from '../../../../daemon/contract/permissions.js';
import { Button } from '../../../components/button.js';
import { Loaded } from '../../../components/loaded.js';
import { EmptyState } from '../../../components/notes.js';
import rows from '../../../components/rows.module.css';
import { Section } from '../../../components/section.js';
import { useToast } from '../../../components/toasts.js';
import { call } from '../../../lib/api.js';
import { toDisplayText } from '../../../lib/format/display-text.js';
import { conversationsKeys } from '../conversations-queries.js';
import styles from './asked.module.css';
import { formatRule, formatUses } from './rule-format.js';

/** Below the key of the open permissions, so that every decision refreshes it. */
const rulesQuery = () =>
  queryOptions({
    queryKey: [...conversationsKeys.permissions, 'rules'] as const,
    queryFn: async ({ signal }) => (await call<PermissionRuleList>('/permissions/rules', { signal })).rules,
  });

interface RulesPanelProps {
  /** Only the rules that hold in this conversation; default: all. */
  of?: { conv: string; member: string | null };
}

/** What agents may do without asking. Each rule can be taken back. */
export function RulesPanel({ of }: RulesPanelProps) {
  const rules = useQuery(rulesQuery());
  const holds = ({ scope, conv, member }: PermissionRule) =>
    !of || (scope === 'conversation' ? conv === of.conv : member === of.member);
  const shown = rules.data?.filter(holds) ?? [];
  return (
    <Section title="Always allowed" count={rules.data && shown.length}>
      <Loaded query={rules} what="The permission rules could not be loaded.">
        {() =>
          shown.length === 0 ? (
            <EmptyState>Agents ask before each action that needs a permission.</EmptyState>
          ) : (
            <ul className={rows.rows}>
              {shown.map((rule) => (
                <RuleRow key={rule.rule} rule={rule} isHere={of !== undefined} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}

function RuleRow({ rule, isHere }: { rule: PermissionRule; isHere: boolean }) {
  const client = useQueryClient();
  const say = useToast();
  const words = toDisplayText(formatRule(rule));
  const takeBack = useMutation({
    mutationFn: () => call<PermissionRule>(`/permissions/rules/${encodeURIComponent(rule.rule)}`, { method: 'DELETE' }),
    onSuccess: () => say({ text: `Taken back: ${words}. Agents ask again.` }),
    onError: (error) => say({ text: error.message, tone: 'failed' }),
    onSettled: () => client.invalidateQueries({ queryKey: conversationsKeys.permissions }),
  });
  return (
    <li className={styles.row}>
      <span>
        {words}
        <span className="small quiet">
          {' '}
          {rule.scope === 'member' ? `all conversations of ${rule.member}` : isHere ? 'this conversation' : 'in '}
          {rule.scope === 'conversation' && !isHere && (
            <Link to="/talk/$conv" params={{ conv: rule.conv }}>
              {toDisplayText(rule.title)}
            </Link>
          )}
          , {formatUses(rule)}
        </span>
      </span>
      <Button isSmall isBusy={takeBack.isPending} aria-label={`Take back: ${words}`} onClick={() => takeBack.mutate()}>
        Take back
      </Button>
    </li>
  );
}
