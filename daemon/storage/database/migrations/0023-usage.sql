-- One row for each turn that ended: when it was asked, of whom and by whom, how it ended, and what the model reported. No text.
-- Kept apart from asks and turns, so that sums over many of them read little and last when a conversation is deleted.
CREATE TABLE turn_usage (
  at_ms INTEGER NOT NULL,
  turn INTEGER NOT NULL,
  member TEXT NOT NULL,
  caller TEXT NOT NULL,
  kind TEXT NOT NULL,
  latency_ms INTEGER,
  input_tokens INTEGER,
  output_tokens INTEGER,
  cost_usd REAL,
  PRIMARY KEY (at_ms, turn)
) STRICT, WITHOUT ROWID;
INSERT INTO turn_usage
SELECT turns.created_ms, turns.seq, coalesce(asks.member, conversations.member, ''),
  CASE
    WHEN asks.caller IS NULL THEN 'you'
    WHEN NOT json_valid(asks.caller) THEN 'unknown program'
    WHEN json_extract(asks.caller, '$.test') THEN 'your tests'
    WHEN coalesce(json_extract(asks.caller, '$.user_agent'), '') = '' THEN 'unknown program'
    WHEN json_extract(asks.caller, '$.user_agent') LIKE 'Mozilla/%' THEN 'a browser'
    ELSE substr(json_extract(asks.caller, '$.user_agent'), 1, min(60, instr(json_extract(asks.caller, '$.user_agent') || ' ', ' ') - 1))
  END,
  CASE
    WHEN turns.outcome = 'cancelled' THEN 'stopped'
    WHEN turns.outcome <> 'answered' THEN 'failed'
    WHEN json_valid(asks.search) THEN coalesce(json_extract(asks.search, '$.confidence'), 'answered')
    ELSE 'answered'
  END,
  CASE WHEN turns.outcome = 'answered' THEN turns.finished_ms - turns.created_ms END,
  CASE WHEN json_valid(turns.usage) THEN json_extract(turns.usage, '$.input_tokens') END,
  CASE WHEN json_valid(turns.usage) THEN json_extract(turns.usage, '$.output_tokens') END,
  CASE WHEN json_valid(turns.usage) THEN json_extract(turns.usage, '$.cost_usd') END
FROM turns JOIN conversations USING (conv) LEFT JOIN asks ON asks.turn = turns.turn
WHERE turns.state = 'ended' AND turns.finished_ms IS NOT NULL AND turns.outcome IS NOT NULL;

-- Calls of programs that were refused (401, 402, 429), counted by the hour. Never a credential.
CREATE TABLE refused_calls (
  hour INTEGER NOT NULL, -- since 1970
  reason TEXT NOT NULL,
  member TEXT NOT NULL,
  caller TEXT NOT NULL,
  address TEXT NOT NULL,
  route TEXT NOT NULL,
  count INTEGER NOT NULL,
  first_ms INTEGER NOT NULL,
  last_ms INTEGER NOT NULL,
  PRIMARY KEY (hour, reason, member, caller, address, route)
) STRICT, WITHOUT ROWID;
