/** The text of `touchline <command> --help`: the command's own help in lines of at most 80 columns, then examples. */
import type { Command } from './command.ts';

/** Width of the narrowest terminal that shows help without wrapping. */
const COLUMNS = 80;
/** Length from which a line of a source text continues in the next one, characters. */
const FULL_LINE = 90;

/** Examples at the end of each command's help; a test parses each one. */
const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  demo: ['demo', 'demo --keep'],
  up: ['up'],
  status: ['status --watch', 'status --metrics http://localhost:9464 --json'],
  doctor: ['doctor', 'doctor api feed-poller'],
  tail: [
    'tail match-state --from-beginning --exit-at-end --json',
    'tail match-transitions --since 30m --key 310064',
  ],
  live: ['live', 'live --once', 'live --json | jq .trading'],
  match: ['match 310064 --follow', 'match 310064 --at 2h'],
  halt: ['halt 310064 --reason late --for 10m', 'halt --all --reason maintenance'],
  resume: ['resume 310064 --reason checked'],
  end: ['end 310064 --reason abandoned --yes'],
  export: ['export states --out states.parquet', 'export feed-health --from 2026-11-21T18:00:00Z'],
  alerts: ['alerts --rules data/alert-rules.json', 'alerts --rules rules.json --out alerts.jsonl'],
  clients: ['clients add --name desk --competitions 3100', 'clients show 1'],
  webhooks: ['webhooks list', 'webhooks resend 1 --from 2h'],
  tokens: ['tokens list --client 1', 'tokens revoke --client 1'],
  'dead-letters': ['dead-letters list', 'dead-letters resend --all'],
  position: ['position match-processor', 'position match-processor 0 start'],
  rebuild: ['rebuild standings-processor --yes'],
  replay: ['replay --into rebuilt.', 'replay --into rebuilt. --source raw --replace'],
  compare: ['compare touchline. rebuilt. --level state'],
  rules: ['rules check my-rules', 'rules check my-rules --season 31'],
  topics: ['topics', 'topics --print'],
  acls: ['acls --print --service api'],
  completion: ['completion bash', 'completion fish'],
};

/** Returns the help of a command. */
export function helpOf(name: string, { help }: Pick<Command, 'help'>): string {
  const examples = EXAMPLES[name] ?? [];
  const shown =
    examples.length === 0 ? [] : ['', 'Examples:', '', ...examples.map((one) => `  touchline ${one}`)];
  return `${[...wrapped(help.trimEnd().split('\n')), ...shown].join('\n')}\n`;
}

/** A text with the columns before its first line and before the others. */
type Block = { readonly first: string; readonly rest: string; text: string };

/** An indented name, and its explanation after two blanks. */
const ENTRY = /^( {2,}\S.*?\S? {2,})(\S.*)$/;
const USAGE = /^(?:Usage:| {6}) (?=touchline )/;

/** Wraps the paragraphs, entries and usages of a help text. */
function wrapped(lines: readonly string[]): string[] {
  const blocks: Block[] = [];
  let before = '';
  for (const line of lines) {
    const block = blocks.at(-1);
    const indent = line.search(/\S|$/);
    const usage = USAGE.exec(line)?.[0];
    const [, name, text = ''] = usage === undefined ? (ENTRY.exec(line) ?? []) : [];
    if (usage !== undefined)
      blocks.push({ first: usage, rest: ' '.repeat(usage.length + 2), text: line.slice(usage.length) });
    else if (name !== undefined) blocks.push({ first: name, rest: ' '.repeat(name.length), text });
    else if (block !== undefined && line !== '' && continues(block, indent, before))
      block.text += ` ${line.trim()}`;
    else blocks.push({ first: ' '.repeat(indent), rest: ' '.repeat(indent), text: line.trim() });
    before = line;
  }
  return blocks.flatMap(({ first, rest, text }) => wrap(text, first, rest));
}

/** Whether a line continues the block before it: it is below the text of an entry, or follows a full line at the same depth. */
function continues({ first, rest }: Block, indent: number, before: string): boolean {
  if (before === '') return false;
  if (first !== rest) return indent >= rest.length;
  return indent === rest.length && before.length >= FULL_LINE;
}

/** Breaks a text at blanks, but not within brackets of a usage that fit into a line. */
function wrap(text: string, first: string, rest: string): string[] {
  const shown: string[] = [];
  let line = first;
  for (const word of text.match(/\[[^\]]{1,50}\](?:\.\.\.)?|\S+/g) ?? []) {
    const isEmpty = line === first || line === rest;
    if (!isEmpty && line.length + 1 + word.length > COLUMNS) {
      shown.push(line);
      line = rest;
    }
    line += line === first || line === rest ? word : ` ${word}`;
  }
  return [...shown, line.trimEnd()];
}
