// Imported by programs that a drill starts: they exit when the drill ends, for whatever reason.
process.once('disconnect', () => process.exit());
