/** Identifies the measured code: the commit, and the id of each folder's code, which survives a rebase. */
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

/** Returns the files that differ from the last commit, as `git status` names them. */
export function uncommitted(): string[] {
  return git('status', '--porcelain', '--untracked-files=no').split('\n').filter(Boolean);
}

/** Returns the last commit, abbreviated. */
export function commit(): string {
  return git('rev-parse', '--short', 'HEAD');
}

/** Matches tests and their helpers, whose changes do not outdate a figure. */
const TEST = /\.test\.ts$|\/testing\//;

/** Returns the id of a folder's code without tests, as of the last commit; null when the commit has no such folder. */
export function treeOf(folder: string): string | null {
  const code = git('ls-tree', '-r', 'HEAD', '--', `${folder}/`)
    .split('\n')
    .filter((line) => line !== '' && !TEST.test(line));
  return code.length === 0 ? null : createHash('sha1').update(code.join('\n')).digest('hex');
}
