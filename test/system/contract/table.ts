/** Reads the table of docs/reference/contract.md: requirement, implementing file, and the test named after it. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../..');
const TABLE = join(ROOT, 'docs/reference/contract.md');

/** A row; `file` is null when test/system/contract registers the test. */
export type ContractRow = {
  readonly section: string;
  readonly requirement: string;
  readonly where: string;
  readonly file: string | null;
  readonly test: string;
};

/** Returns all rows in the order of the specification. */
export function contractRows(): ContractRow[] {
  let section = '';
  return readFileSync(TABLE, 'utf8')
    .split('\n')
    .flatMap((line): ContractRow[] => {
      if (line.startsWith('## ')) section = line.slice('## '.length);
      if (!line.startsWith('| ') || line === '| requirement | where | test |') return [];
      const [requirement = '', where = '', named = ''] = line.slice(2, -2).split(' | ');
      const [test = '', file = null] = named.split(' › ').toReversed();
      return [{ section, requirement, where, file, test }];
    });
}

/** Returns the unmet requirements of the page, each with the reason. */
export function notMet(): string[] {
  const [, section = ''] = readFileSync(TABLE, 'utf8').split('\n## Not met\n');
  return section.split('\n').filter((line) => line.startsWith('- ') && line.includes(' → '));
}

/** Returns the problems of rows, one line each. `names` are the tests that test/system/contract has registered. */
export function problemsOf(rows: readonly ContractRow[], names: ReadonlySet<string>): string[] {
  return rows.flatMap(({ requirement, where, file, test }) => {
    if (!existsSync(join(ROOT, where))) return [`${requirement}: there is no ${where}`];
    if (test === '') return [`${requirement}: no test`];
    const found = file === null ? names.has(test) : isTestIn(file, test);
    return found ? [] : [`${requirement}: there is no test "${test}" in ${file ?? 'test/system/contract'}`];
  });
}

/** Whether a file has a test or suite with that title that is not skipped. */
function isTestIn(file: string, title: string): boolean {
  const path = join(ROOT, file);
  if (!existsSync(path)) return false;
  const before = /(?:\b(?:it|test|describe)\(|\)\()\s*['"`]/.source;
  return new RegExp(`${before}${title.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}['"\`]`).test(
    readFileSync(path, 'utf8'),
  );
}
