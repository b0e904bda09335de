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

const REFERENCE = join(import.meta.dirname, '../docs/reference');

/** Returns the ratio of a figure and its target in words: `1.45 (missed)`, `at least 2`. */
export function ratioOf({ ours, beside, better = 'more', target }: Figure): [ratio: string, wanted: string] {
  if (beside === undefined) return ['', ''];
  const ratio = ours / beside.value;
  if (target === undefined) return [ratio.toFixed(2), ''];
  const isMet = better === 'more' ? ratio >= target : ratio <= target;
  const wanted = `${better === 'more' ? 'at least' : 'at most'} ${target}`;
  return [`${ratio.toFixed(2)}${isMet ? '' : ' (missed)'}`, wanted];
}

/** Replaces the figures and the rounds of the bench. */
export async function record(measured: BenchResult): Promise<void> {
  const { bench, commit, machine, raw } = measured;
  const page = join(REFERENCE, 'performance.md');
  await writeFile(page, withFigures(await readFile(page, 'utf8'), measured));
  await writeFile(
    join(REFERENCE, `rounds/${bench}.txt`),
    `${[`commit ${commit}`, machine, ...raw].join('\n')}\n`,
  );
}

/** Returns the page with the figures of a bench, which replace its previous ones. Throws when it has none of the bench. */
export function withFigures(page: string, { bench, commit, figures }: BenchResult): string {
  const lines = page.split('\n');
  const isOwn = (line: string): boolean => line.startsWith(`| [${bench}](`);
  const first = lines.findIndex(isOwn);
  if (first < 0) throw new Error(`docs/reference/performance.md has no row of ${bench}`);
  const rows = figures.map((figure) => {
    const { name, ours, beside, unit } = figure;
    const peer = beside === undefined ? '' : `${beside.name}: ${format(beside.value)} ${unit}`;
    const cells = [`[${bench}](rounds/${bench}.txt)`, name, `${format(ours)} ${unit}`, peer];
    return `| ${[...cells, ...ratioOf(figure), commit].join(' | ')} |`;
  });
  return lines
    .filter((line) => !isOwn(line))
    .toSpliced(first, 0, ...rows)
    .join('\n');
}
