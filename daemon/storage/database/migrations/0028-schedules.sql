-- What a member does at certain times, or once a task is done. due_ms is the next time that was not handled yet, and
-- handled_ms the newest that was. task_done is 1 while the task is done and its run was recorded.
CREATE TABLE schedules (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  title TEXT NOT NULL,
  member TEXT NOT NULL,
  text TEXT NOT NULL,
  cron TEXT,
  zone TEXT,
  after_task TEXT,
  missed TEXT NOT NULL,
  permission_minutes INTEGER NOT NULL,
  paused INTEGER NOT NULL,
  paused_reason TEXT,
  due_ms INTEGER,
  handled_ms INTEGER,
  task_done INTEGER NOT NULL DEFAULT 0,
  seen_told INTEGER NOT NULL DEFAULT 0,
  created_ms INTEGER NOT NULL,
  updated_ms INTEGER NOT NULL
) STRICT;
-- Runs, also those that were refused or skipped. told is 0, or the place of the run among those that the operator should
-- know of; the schedule's seen_told is the place of the newest that the operator has seen.
CREATE TABLE schedule_runs (
  seq INTEGER PRIMARY KEY,
  run TEXT NOT NULL UNIQUE,
  schedule TEXT NOT NULL REFERENCES schedules (id) ON DELETE CASCADE,
  cause TEXT NOT NULL,
  due_ms INTEGER NOT NULL,
  times INTEGER NOT NULL,
  state TEXT NOT NULL,
  at_ms INTEGER,
  turn TEXT REFERENCES turns (turn) ON DELETE SET NULL,
  outcome TEXT,
  code TEXT,
  reason TEXT,
  denied INTEGER NOT NULL DEFAULT 0,
  told INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX schedule_runs_schedule ON schedule_runs (schedule, seq);
CREATE INDEX schedule_runs_turn ON schedule_runs (turn);
CREATE INDEX permissions_turn ON permissions (turn);
ALTER TABLE conversations ADD COLUMN schedule_id TEXT;
ALTER TABLE conversations ADD COLUMN schedule_title TEXT;
