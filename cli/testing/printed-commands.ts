/** Collects the `touchline` commands that messages, log lines, errors, alerts, the board and the pages print. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const DOCS = ['docs/README.md', 'docs/guides', 'docs/reference', 'docs/known-issues.md'];
const SOURCES = ['cli', 'libs', 'services', 'deploy', 'README.md', ...DOCS];
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
const PROSE = /, |,? or | (?:prints|shows|sends|names|creates|derives)\b| {2,}|: |\. |\)|\s[[(]/;

/** Blocks of commands of a page, or commands on lines of their own: no prose follows a command there. */
const BLOCK = /^ *```sh.*\n[\s\S]*?^ *```$|^ {4}npx touchline .*$/gm;

/** A printed command. */
type PrintedCommand = {
  /** Path of the file in the repository. */
  readonly file: string;
  /** Its words after `npx touchline`, joined by spaces, with placeholders as they are printed. */
  readonly text: string;
};

/** Returns all printed commands, each once for a file. */
export function printedCommands(): PrintedCommand[] {
  return printingFiles().flatMap((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    const blocks = file.endsWith('.md') ? (text.match(BLOCK) ?? []).join('\n') : '';
    const prose = file.endsWith('.md') ? text.replaceAll(BLOCK, '') : text;
    const lines = [...blocks.matchAll(PRINTED)].map(([, line = '']) => line.trim());
    return [...commandsIn(prose), ...lines].map((one) => ({ file, text: one }));
  });
}

function printingFiles(): string[] {
  return execFileSync('git', ['ls-files', ...SOURCES], { cwd: ROOT, encoding: 'utf8' })
    .trim()
    .split('\n')
    .filter((file) => !NOT_READ.test(file) && !GENERATED.includes(file));
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
  return text.replaceAll(PLACEHOLDER, 'X').match(/"[^"]*"|\S+/g) ?? [];
}
