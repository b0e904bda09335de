/**
 * `npm run bench:age` names the figures of docs/reference/performance.md that are older than the code they measure. It
 * never fails: measure an old figure again on a quiet machine.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROUNDS, treesIn } from './record.ts';
import { treeOf } from './subject.ts';

/**
 * Returns one line on the age of a bench's figures. `currentTree` returns the id of a folder's current content, null
 * for a missing folder.
 */
export function ageLine(
  bench: string,
  rounds: string,
  currentTree: (folder: string) => string | null,
): string {
  const trees = treesIn(rounds);
  if (trees.size === 0) return `${bench}: the record does not name its commit`;
  const changed = [...trees]
    .filter(([folder, tree]) => currentTree(folder) !== tree)
    .map(([folder]) => folder);
  const at = /^commit (\S+)$/m.exec(rounds)?.[1];
  return changed.length === 0
    ? `${bench}: as measured at ${at}`
    : `${bench}: measured at ${at}; changed since: ${changed.join(', ')}`;
}

if (import.meta.main) {
  for (const file of readdirSync(ROUNDS).toSorted()) {
    console.log(ageLine(file.replace(/\.txt$/, ''), readFileSync(join(ROUNDS, file), 'utf8'), treeOf));
  }
}
