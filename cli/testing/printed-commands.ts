/** Collects the `touchline` commands that messages, log lines, errors, alerts, the board and the pages print. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const SOURCES = [
  'cli',
  'libs',
  'services',
  'docs/README.md',
  'docs/guides',
  'docs/reference',
  'docs/known-issues.md',
  'deploy',
  'README.md',
];
/** Pages that `npm run generate` writes from sources which are read themselves. */
const GENERATED = ['docs/reference/errors.md', 'deploy/helm/touchline/files/rules.yml'];
const NOT_READ = /\.test\.(?:ts|yml)$|testing\/|\.svg$|\.png$|^docs\/reference\/rounds\//;

/** A part that a message fills in, such as `${service}`, or that a reader does, such as `<processor>` or `$ID`. */
const PLACEHOLDER = /\$\{(?:[^{}]|\{[^{}]*\})*\}|<[\w |]+>|"?\$\w+"?/g;
const PRINTED = new RegExp(
  `npx touchline ((?:${PLACEHOLDER.source}|(?!npx touchline )[^\`'\\\\\\n|;&#>])*)`,
  'g',
);
/** Where prose goes on after a command that is printed without quotes. */
const PROSE = /, |,? or | (?:prints|shows|sends|names|creates)\b| {2,}|: |\. |\)|\s[[(]/;

/** Blocks of commands of a page; their kind says which test runs them. */
const BLOCK = /^ *```sh( runbook| step| grow)?\n[\s\S]*?^ *```$/gm;
/** Commands of a page that stand on lines of their own, indented, as `test/system/guides/commands.ts` collects them. */
const INDENTED = /^ {4}npx touchline .*$/gm;

/** Kinds of blocks: all but `sh` are run as they stand, each by the test of its pages. */
type CommandBlock = 'sh' | 'runbook' | 'step' | 'grow';

/** A printed command. */
export type PrintedCommand = {
  /** Path of the file in the repository. */
  readonly file: string;
  /** Its words after `npx touchline`, joined by spaces, with placeholders as they are printed. */
  readonly text: string;
  /** The kind of its block of commands in a page; null for one in prose, or in code. */
  readonly block: CommandBlock | null;
};

/** Returns all printed commands, each once for a file. */
export function printedCommands(): PrintedCommand[] {
  return printingFiles().flatMap((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    const prose = file.endsWith('.md') ? text.replaceAll(BLOCK, '').replaceAll(INDENTED, '') : text;
    const blocks = file.endsWith('.md') ? blocksOf(text) : [];
    return [
      ...commandsIn(prose).map((one) => ({ file, text: one, block: null })),
      ...blocks.flatMap(({ block, lines }) =>
        [...lines.matchAll(PRINTED)].map(([, line = '']) => ({ file, text: line.trim(), block })),
      ),
    ];
  });
}

function printingFiles(): string[] {
  return execFileSync('git', ['ls-files', ...SOURCES], { cwd: ROOT, encoding: 'utf8' })
    .trim()
    .split('\n')
    .filter((file) => !NOT_READ.test(file) && !GENERATED.includes(file));
}

const OTHER_PROGRAM =
  /\b(?:(?:kafka|connect)-[a-z-]+\.sh|kubectl|docker compose|helm(?= (?:install|upgrade|template)))\b/g;

/** Returns the names of other programs whose commands are printed. */
export function otherPrograms(): string[] {
  const found = printingFiles().flatMap(
    (file) => readFileSync(join(ROOT, file), 'utf8').match(OTHER_PROGRAM) ?? [],
  );
  return [...new Set(found)].sort();
}

function blocksOf(text: string): { readonly block: CommandBlock; readonly lines: string }[] {
  return [
    ...[...text.matchAll(BLOCK)].map(([lines, kind]) => ({
      block: (kind?.trim() ?? 'sh') as CommandBlock,
      lines,
    })),
    ...[...text.matchAll(INDENTED)].map(([lines]) => ({ block: 'sh' as const, lines })),
  ];
}

/** Returns the commands that a message or a text prints, each once, without the prose around them. */
export function commandsIn(text: string): string[] {
  const found = [...text.matchAll(PRINTED)].map(([, line = '']) => commandOf(line));
  return [...new Set(found)].filter((one) => one !== '');
}

/** Cuts the prose after a command, and names the parts that a message fills in: `${serviceOf(application)}` is `<application>`. */
function commandOf(line: string): string {
  const parts: string[] = [];
  const masked = line.replaceAll(PLACEHOLDER, (part) => `\0${parts.push(placeholder(part)) - 1}\0`);
  const [command = ''] = masked.split(PROSE);
  return command
    .replace(/[,:)"\s]+$/, '')
    .split(/\s+/)
    .filter(Boolean)
    .join(' ')
    .replaceAll(/\0(\d+)\0/g, (_, at) => parts[Number(at)] ?? '');
}

function placeholder(part: string): string {
  return part.startsWith('${') ? `<${part.match(/\w+/g)?.at(-1)}>` : part;
}

/** Returns the words of a printed command with one word, `X`, for each placeholder. */
export function wordsOf(text: string): string[] {
  return text.replaceAll(PLACEHOLDER, 'X').split(' ');
}
