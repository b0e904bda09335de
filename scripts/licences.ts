/** Checks the licence of every package in package-lock.json against scripts/licences.json: `npm run licences`. Needs no network. */
import { readFileSync } from 'node:fs';

/** The part of a lock file that this script reads, by path. */
type LockedPackages = Readonly<
  Record<string, { readonly version?: string; readonly license?: string; readonly dev?: boolean }>
>;

/** Accepted licences; `development`: further ones of packages that only development needs. `read`: those of packages that name none, by version. */
export type LicenceRules = {
  readonly shipped: readonly string[];
  readonly development: readonly string[];
  readonly read: Readonly<Record<string, string>>;
};

/** Returns one line for each package without an accepted licence. Nested SPDX expressions are not accepted. */
export function licenceFaults(packages: LockedPackages, rules: LicenceRules): string[] {
  return Object.entries(packages).flatMap(([path, { version, license, dev = false }]) => {
    // The root package is the project itself.
    if (path === '') return [];
    const name = `${path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)}@${version}`;
    const licence = rules.read[name] ?? license ?? 'no licence';
    const accepted = dev ? [...rules.shipped, ...rules.development] : rules.shipped;
    const choices = licence.replace(/^\((.*)\)$/, '$1').split(' OR ');
    if (choices.some((choice) => choice.split(' AND ').every((one) => accepted.includes(one)))) return [];
    return [`${name}${dev ? ', development' : ''}: ${licence}`];
  });
}

if (import.meta.main) {
  const read = (file: string) => JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8'));
  const faults = licenceFaults(read('../package-lock.json').packages, read('licences.json'));
  for (const fault of faults) console.error(fault);
  console.log(`${faults.length} packages without an accepted licence`);
  if (faults.length > 0) process.exitCode = 1;
}
