/**
 * Writes what a bench has measured: its figures into the table of docs/reference/performance.md, and its
 * rounds, with the code that they were measured on, into a file beside the page.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Figure, format } from './context.ts';

/** What a bench has printed and measured. */
export type BenchResult = {
  readonly bench: string;
  /** The commit, abbreviated. */
  readonly commit: string;
  /** By each folder whose code was measured, the id of its tree. */
  readonly trees: ReadonlyMap<string, string>;
  readonly machine: string;
  readonly figures: readonly Figure[];
  readonly raw: readonly string[];
};

const PAGE = join(import.meta.dirname, '../docs/reference/performance.md');
/** Around the table of figures. */
const OPEN = '<!-- figures -->\n';
const CLOSE = '<!-- end figures -->';
/** A file of rounds a bench, beside the page. */
export const ROUNDS = join(import.meta.dirname, '../docs/reference/rounds');

/** Ours beside the peer's: above 1 is more. */
export function ratioOf({ ours, beside }: Figure): number {
  return ours / beside.value;
}

/** Whether a figure is as it should be; true where nothing is asked of it. */
export function isMet(figure: Figure): boolean {
  const { better = 'more', target } = figure;
  if (target === undefined) return true;
  return better === 'more' ? ratioOf(figure) >= target : ratioOf(figure) <= target;
}

/** What is asked of a figure's ratio, in words; empty where nothing is. */
export function targetOf({ better = 'more', target }: Figure): string {
  if (target === undefined) return '';
  return `${better === 'more' ? 'at least' : 'at most'} ${target}`;
}

/** Replaces the figures and the rounds of the bench. Throws where the page has no table. */
export async function record(measured: BenchResult): Promise<void> {
  const page = await readFile(PAGE, 'utf8');
  await writeFile(PAGE, withFigures(page, measured));
  await writeFile(join(ROUNDS, `${measured.bench}.txt`), roundsText(measured));
}

/** The page with the figures of a bench in place of its former ones, or behind those of the others. */
export function withFigures(page: string, measured: BenchResult): string {
  const open = page.indexOf(OPEN);
  const to = page.indexOf(CLOSE);
  if (open < 0 || to < open) throw new Error('docs/reference/performance.md has no marks for figures');
  const from = open + OPEN.length;
  const rows = page.slice(from, to).split('\n').slice(0, -1);
  const isOld = (row: string): boolean => row.startsWith(`| [${measured.bench}](`);
  const first = rows.findIndex(isOld);
  const at = first < 0 ? rows.length : first;
  const kept = rows.filter((row) => !isOld(row));
  const table = [...kept.slice(0, at), ...rowsOf(measured), ...kept.slice(at)].join('\n');
  return `${page.slice(0, from)}${table}\n${page.slice(to)}`;
}

/** The file of a bench's rounds. */
export function roundsText({ commit, trees, machine, raw }: BenchResult): string {
  const subjects = [...trees].map(([folder, tree]) => `tree ${tree} ${folder}`);
  return `${[`commit ${commit}`, ...subjects, machine, ...raw].join('\n')}\n`;
}

/** By folder, the trees that a file of rounds names; empty where it names none. */
export function treesIn(rounds: string): ReadonlyMap<string, string> {
  return new Map(
    [...rounds.matchAll(/^tree ([0-9a-f]+) (.+)$/gm)].map(([, tree = '', folder = '']) => [folder, tree]),
  );
}

function rowsOf({ bench, commit, figures }: BenchResult): string[] {
  return figures.map((figure) => {
    const { name, ours, beside, unit } = figure;
    const missed = isMet(figure) ? '' : ' (missed)';
    const cells = [
      `[${bench}](rounds/${bench}.txt)`,
      name,
      `${format(ours)} ${unit}`,
      `${beside.name}: ${format(beside.value)} ${unit}`,
      `${ratioOf(figure).toFixed(2)}${missed}`,
      targetOf(figure),
      commit,
    ];
    return `| ${cells.join(' | ')} |`;
  });
}
