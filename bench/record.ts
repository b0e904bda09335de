/** Writes what a bench has measured into docs/reference/performance.md, between the marks of that bench. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Figure, format } from './context.ts';

/** What a bench has printed and measured. */
export type Measured = {
  readonly bench: string;
  readonly machine: string;
  readonly figures: readonly Figure[];
  readonly raw: readonly string[];
};

const PAGE = join(import.meta.dirname, '../docs/reference/performance.md');

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

/** Replaces what the page says between the marks of the bench. Throws where it has no such marks. */
export async function record(measured: Measured): Promise<void> {
  const page = await readFile(PAGE, 'utf8');
  await writeFile(PAGE, withFigures(page, measured));
}

/** The page with the figures of a bench. */
export function withFigures(page: string, measured: Measured): string {
  const [open, close] = [`<!-- bench ${measured.bench} -->\n`, `<!-- end ${measured.bench} -->`];
  const from = page.indexOf(open);
  const to = page.indexOf(close);
  if (from < 0 || to < from)
    throw new Error(`docs/reference/performance.md has no marks for bench ${measured.bench}`);
  return page.slice(0, from + open.length) + render(measured) + page.slice(to);
}

function render({ machine, figures, raw }: Measured): string {
  const rows = figures.map((figure) => {
    const { name, ours, beside, unit } = figure;
    const missed = isMet(figure) ? '' : ' (missed)';
    const cells = [
      name,
      `${format(ours)} ${unit}`,
      `${beside.name}: ${format(beside.value)} ${unit}`,
      `${ratioOf(figure).toFixed(2)}${missed}`,
      targetOf(figure),
    ];
    return `| ${cells.join(' | ')} |`;
  });
  const table = ['| figure | ours | beside | ratio | wanted |', '|---|---|---|---|---|', ...rows].join('\n');
  return `\n${table}\n\n    ${[machine, ...raw].join('\n    ')}\n\n`;
}
