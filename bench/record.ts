/** Records the result of a bench: its figures in the table of docs/reference/performance.md, its rounds in a file beside the page. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Figure, format } from './context.ts';

/** The output and figures of a bench. */
export type BenchResult = {
  readonly bench: string;
  /** The commit, abbreviated. */
  readonly commit: string;
  readonly machine: string;
  readonly figures: readonly Figure[];
  readonly raw: readonly string[];
};

const PAGE = join(import.meta.dirname, '../docs/reference/performance.md');
/** Marks around the table of figures. */
const OPEN = '<!-- figures -->\n';
const CLOSE = '<!-- end figures -->';
/** Folder with one file of rounds for each bench, beside the page. */
const ROUNDS = join(import.meta.dirname, '../docs/reference/rounds');

/** Returns the ratio of our value to the peer's. */
export function ratioOf({ ours, beside }: Figure): number {
  return ours / beside.value;
}

/** Whether a figure meets its target; true without a target. */
export function isMet(figure: Figure): boolean {
  const { better = 'more', target } = figure;
  if (target === undefined) return true;
  return better === 'more' ? ratioOf(figure) >= target : ratioOf(figure) <= target;
}

/** Returns the target of a figure's ratio in words; empty without a target. */
export function targetOf({ better = 'more', target }: Figure): string {
  if (target === undefined) return '';
  return `${better === 'more' ? 'at least' : 'at most'} ${target}`;
}

/** Replaces the figures and the rounds of the bench. Throws when the page has no table. */
export async function record(measured: BenchResult): Promise<void> {
  const { bench, commit, machine, raw } = measured;
  const page = await readFile(PAGE, 'utf8');
  await writeFile(PAGE, withFigures(page, measured));
  await writeFile(join(ROUNDS, `${bench}.txt`), `${[`commit ${commit}`, machine, ...raw].join('\n')}\n`);
}

/** Returns the page with the figures of a bench, which replace its previous ones or are appended. */
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
