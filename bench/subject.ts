/** Which code a record was measured on: the commit, and the code of each folder, whose id outlives a rebase. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

function git(...args: readonly string[]): string {
  return execFileSync('git', args, {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();
}

/** Files of the tree that differ from the last commit, as `git status` names them. */
export function uncommitted(): string[] {
  return git('status', '--porcelain', '--untracked-files=no').split('\n').filter(Boolean);
}

/** The last commit, abbreviated. */
export function commit(): string {
  return git('rev-parse', '--short', 'HEAD');
}

/** Tests and what only they use: a change of theirs makes no figure old. */
const TEST = /\.test\.ts$|\/testing\//;

/** The id of a folder's code, tests left out, as of the last commit; null where the commit has no such folder. */
export function treeOf(folder: string): string | null {
  const code = git('ls-tree', '-r', 'HEAD', '--', `${folder}/`)
    .split('\n')
    .filter((line) => line !== '' && !TEST.test(line));
  return code.length === 0 ? null : createHash('sha1').update(code.join('\n')).digest('hex');
}
