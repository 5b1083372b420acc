-- The limits of a scope (conversation:<conv>, member:<id>, day), those in force on one day only, and what the operator was told.
CREATE TABLE budgets (
  scope TEXT PRIMARY KEY,
  conv TEXT REFERENCES conversations (conv) ON DELETE CASCADE,
  limits TEXT NOT NULL,
  today_limits TEXT,
  today TEXT,
  state TEXT NOT NULL,
  state_day TEXT NOT NULL,
  since_ms INTEGER,
  warned_day TEXT,
  is_left INTEGER NOT NULL
) STRICT;
CREATE INDEX budgets_conv ON budgets (conv);

-- What each scope has spent: a conversation over its whole life (day is empty), members and the day by the day.
-- tokens and cost_usd are null while no client has reported any. unreported is a JSON object of client names.
CREATE TABLE budget_spent (
  scope TEXT NOT NULL,
  day TEXT NOT NULL,
  conv TEXT REFERENCES conversations (conv) ON DELETE CASCADE,
  tokens INTEGER,
  cost_usd REAL,
  ms INTEGER NOT NULL,
  turns INTEGER NOT NULL,
  unreported TEXT NOT NULL,
  PRIMARY KEY (scope, day)
) STRICT, WITHOUT ROWID;
CREATE INDEX budget_spent_conv ON budget_spent (conv);

-- What was counted of a running turn: a report of a client replaces the earlier ones of its turn.
CREATE TABLE budget_turns (
  turn TEXT PRIMARY KEY REFERENCES turns (turn) ON DELETE CASCADE,
  tokens INTEGER NOT NULL,
  cost_usd REAL NOT NULL,
  ms INTEGER NOT NULL
) STRICT;

-- Agents of acp reported the cost of their whole session with each turn.
INSERT INTO budget_spent
SELECT 'conversation:' || conv, '', conv, sum(tokens),
  CASE WHEN count(cost) > 0 THEN total(CASE WHEN client <> 'acp' THEN cost END) + coalesce(max(CASE WHEN client = 'acp' THEN cost END), 0) END,
  sum(max(0, finished_ms - started_ms)), count(*), '{}'
FROM (
  SELECT conv, client, started_ms, finished_ms,
    CASE WHEN json_valid(usage) THEN
      CASE WHEN coalesce(json_extract(usage, '$.input_tokens'), json_extract(usage, '$.output_tokens')) IS NOT NULL
      THEN coalesce(json_extract(usage, '$.input_tokens'), 0) + coalesce(json_extract(usage, '$.output_tokens'), 0) END
    END AS tokens,
    CASE WHEN json_valid(usage) THEN json_extract(usage, '$.cost_usd') END AS cost
  FROM turns WHERE state = 'ended' AND started_ms IS NOT NULL AND finished_ms IS NOT NULL
)
WHERE conv IN (SELECT conv FROM conversations)
GROUP BY conv;

-- The client that ran a turn.
ALTER TABLE turn_usage ADD COLUMN client TEXT NOT NULL DEFAULT '';
UPDATE turn_usage SET client = coalesce((SELECT turns.client FROM turns WHERE turns.seq = turn_usage.turn), '');
