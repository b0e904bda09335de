/** Which code a record was measured on: the commit, and the tree of each folder, which outlives a rebase. */
import { execFileSync } from 'node:child_process';
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

/** The id of a folder's content as of the last commit; null where the commit has no such folder. */
export function treeOf(folder: string): string | null {
  try {
    return git('rev-parse', '--verify', `HEAD:${folder}`);
  } catch {
    return null;
  }
}
