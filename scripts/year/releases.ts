/** The releases of a year: trees of earlier commits with the same dependencies, the present one last. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { HERE } from './system.ts';

export type Release = { readonly name: string; readonly folder: string };

/**
 * Unpacks `count` commits of the first-parent history that have the dependencies of the present one, evenly spaced, the oldest
 * first. The last release is the working tree.
 */
export function unpackReleases(folder: string, count: number): Release[] {
  const [, ...earlier] = git('rev-list', '--first-parent', '--max-count=600', 'HEAD').trim().split('\n');
  const lock = git('rev-parse', 'HEAD:package-lock.json');
  const end = earlier.findIndex((commit) => git('rev-parse', `${commit}:package-lock.json`) !== lock);
  const usable = end === -1 ? earlier : earlier.slice(0, end);
  const every = Math.max(1, Math.floor(usable.length / count));
  const chosen = usable.filter((_, n) => n % every === every - 1).slice(0, count);
  const releases = chosen.toReversed().map((commit): Release => {
    const name = commit.slice(0, 8);
    const tree = join(folder, name);
    mkdirSync(tree, { recursive: true });
    execFileSync('sh', ['-c', `git archive ${name} | tar -x -C "$0"`, tree], { cwd: HERE });
    symlinkSync(join(HERE, 'node_modules'), join(tree, 'node_modules'));
    return { name, folder: tree };
  });
  return [...releases, { name: `${presentCommit()} (working tree)`, folder: HERE }];
}

export function presentCommit(): string {
  return git('rev-parse', '--short=8', 'HEAD').trim();
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: HERE, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}
