-- What a request would do, as JSON (PermissionDetail).
ALTER TABLE permissions ADD COLUMN detail TEXT;
-- What the operator always allows. With a member, the rule holds in all conversations of the member.
CREATE TABLE permission_rules (
  rule TEXT PRIMARY KEY,
  match TEXT NOT NULL,
  value TEXT NOT NULL,
  tool TEXT NOT NULL,
  conv TEXT NOT NULL REFERENCES conversations (conv) ON DELETE CASCADE,
  member TEXT,
  profile TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  uses INTEGER NOT NULL DEFAULT 0,
  last_used_ms INTEGER
) STRICT;
CREATE INDEX permission_rules_conv ON permission_rules (conv);
CREATE INDEX permission_rules_member ON permission_rules (member) WHERE member IS NOT NULL;
-- Decisions of earlier versions allowed the tool for the whole conversation.
INSERT INTO permission_rules (rule, match, value, tool, conv, profile, created_ms)
  SELECT 'rule-' || substr(min(permissions.pid), 6), 'tool', tool, tool, permissions.conv, turns.profile, min(permissions.created_ms)
  FROM permissions JOIN turns USING (turn)
  WHERE decision = 'allow_always'
  GROUP BY permissions.conv, tool, turns.profile;
