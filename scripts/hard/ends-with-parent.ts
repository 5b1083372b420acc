// Imported by programs that a drill starts: they end with it, however that was ended.
process.once('disconnect', () => process.exit());
