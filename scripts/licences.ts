/** Checks the licence of every package in package-lock.json against scripts/licences.json: `npm run licences`. Needs no network. */
import { readFileSync } from 'node:fs';

/** A package of a lock file. */
export type LockedPackage = {
  readonly version?: string;
  readonly license?: string;
  /** Whether only development needs it. */
  readonly dev?: boolean;
};

/** Accepted licences. */
export type LicenceRules = {
  /** For packages that run in production. */
  readonly shipped: readonly string[];
  /** Further licences for packages that only development needs. */
  readonly development: readonly string[];
  /** Licences of packages without a machine-readable one, from their licence file, by name and version. */
  readonly read: Readonly<Record<string, string>>;
};

/** Returns one line for each package without an accepted licence, and for each unused entry of `read`. */
export function licenceFaults(
  packages: Readonly<Record<string, LockedPackage>>,
  rules: LicenceRules,
): string[] {
  const shipped = new Set(rules.shipped);
  const any = new Set([...rules.shipped, ...rules.development]);
  const unused = new Set(Object.keys(rules.read));
  const faults = Object.entries(packages).flatMap(([path, { version, license, dev = false }]) => {
    // The root package is the project itself.
    if (path === '') return [];
    const name = `${path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)}@${version}`;
    unused.delete(name);
    const licence = rules.read[name] ?? license;
    if (licence !== undefined && isAccepted(licence, dev ? any : shipped)) return [];
    return [`${name}${dev ? ', development' : ''}: ${licence ?? 'no licence'}`];
  });
  return faults.concat([...unused].map((name) => `${name}: is not installed, remove it from the rules`));
}

/** Whether an SPDX expression allows use under accepted licences. Nested mixed expressions are not accepted. */
function isAccepted(expression: string, accepted: ReadonlySet<string>): boolean {
  const flat = expression.replace(/^\((.*)\)$/, '$1');
  return flat.split(' OR ').some((choice) => choice.split(' AND ').every((licence) => accepted.has(licence)));
}

if (import.meta.main) {
  const read = (file: string) => JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8'));
  const { packages } = read('../package-lock.json');
  const faults = licenceFaults(packages, read('licences.json'));
  for (const fault of faults) console.error(fault);
  console.log(`${Object.keys(packages).length - 1} packages, ${faults.length} without an accepted licence`);
  if (faults.length > 0) process.exitCode = 1;
}
