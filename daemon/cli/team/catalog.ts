import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { Command } from 'commander';
import { BODY_LIMIT } from '../../contract/limits.js';
import { CATALOG_ROWS_MAX, type CatalogImported } from '../../contract/network/registry.js';
import { readLines } from '../../lib/text/stream-lines.js';
import { action, examples } from '../action.js';
import { getDaemon } from '../daemon/project.js';
import { CommandError, EXIT } from '../exit-codes.js';
import type { HttpClient } from '../http-client.js';
import { systemFailure } from '../system-failure.js';
import { printable, type Terminal } from '../terminal.js';

/** The maximum bytes of lines in one request, well below the body limit. */
const PIECE_BYTES = BODY_LIMIT - 64 * 1024;
const LINE_MAX_CHARS = 64 * 1024;

interface RefusedLine {
  line: number;
  agent_id: string | null;
  reason: string;
}

/** Imports a catalog file into the daemon in batches. */
class CatalogImport {
  added = 0;
  updated = 0;
  readonly refused: RefusedLine[] = [];
  private entries: unknown[] = [];
  private lines: number[] = [];
  private bytes = 0;

  constructor(
    private readonly client: HttpClient,
    private readonly onPiece: (refused: readonly RefusedLine[]) => void,
  ) {}

  /** Adds one line; empty lines are skipped. */
  async take(text: string, line: number): Promise<void> {
    if (text.trim() === '') return;
    if (text.length > LINE_MAX_CHARS)
      return void this.refused.push({
        line,
        agent_id: null,
        reason: `The line is longer than ${LINE_MAX_CHARS} characters.`,
      });
    let entry: unknown;
    try {
      entry = JSON.parse(text);
    } catch {
      return void this.refused.push({ line, agent_id: null, reason: 'The line is not JSON.' });
    }
    const bytes = Buffer.byteLength(text) + 1;
    if (this.entries.length === CATALOG_ROWS_MAX || this.bytes + bytes > PIECE_BYTES) await this.send();
    this.entries.push(entry);
    this.lines.push(line);
    this.bytes += bytes;
  }

  /** Sends the pending batch. */
  async send(): Promise<void> {
    const [entries, lines] = [this.entries, this.lines];
    [this.entries, this.lines, this.bytes] = [[], [], 0];
    if (entries.length > 0) {
      const { added, updated, refused } = await this.client.send<CatalogImported>('POST', '/v1/catalog', {
        body: { entries },
      });
      this.added += added;
      this.updated += updated;
      for (const { index, agent_id, reason } of refused)
        this.refused.push({ line: lines[index] ?? 0, agent_id, reason });
    }
    this.refused.sort((a, b) => a.line - b.line);
    this.onPiece(this.refused);
  }
}

async function* catalogLines(path: string, stdin: Readable): AsyncIterable<string> {
  try {
    const input = path === '-' ? stdin : (await open(path)).createReadStream();
    yield* readLines(input);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    throw new CommandError(EXIT.notFound, systemFailure(error)?.message ?? `${path} cannot be read.`, 'not_found');
  }
}

export function addCatalog(program: Command, terminal: Terminal): void {
  const catalog = program
    .command('catalog')
    .summary('directory entries from elsewhere')
    .description('Directory entries from elsewhere, which agents can claim.');

  catalog
    .command('import')
    .summary('import a catalog file into the unified API')
    .description(
      'Import directory entries, one JSON object a line: {agent_id, name, description, url, tags, country?, ' +
        'source}. Each line stands alone: a wrong one is named, the others are imported. Repeating it is safe.',
    )
    .argument('<file>', 'a .jsonl file; - reads stdin')
    .addHelpText(
      'after',
      examples('meshd catalog import agents.jsonl', 'zcat agents.jsonl.gz | meshd catalog import - --json'),
    )
    .action(
      action<object, [string]>(terminal, async ({ root, json }, path) => {
        const { client } = await getDaemon(root);
        let line = 0;
        let told = 0;
        const run = new CatalogImport(client, (refused) => {
          for (const { line: number, agent_id, reason } of refused.slice(told)) {
            terminal.note(
              `${path}:${number}: ${agent_id === null ? '' : `${printable(agent_id)}: `}${printable(reason)}`,
            );
          }
          told = refused.length;
          terminal.note(`${line} lines read.`);
        });
        for await (const text of catalogLines(path, terminal.stdin)) {
          line += 1;
          await run.take(text, line);
        }
        await run.send();
        const { added, updated, refused } = run;
        if (refused.length > 0) terminal.exit = EXIT.failed;
        if (json) return terminal.object({ added, updated, refused });
        terminal.answer(`${added} added, ${updated} updated, ${refused.length} refused.`);
      }),
    );
}
