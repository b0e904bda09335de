/**
 * Checks the installed packages for known vulnerabilities: `npm run audit`. Exit code 0: none found; 1: some found, or
 * npm failed; 75: the registry does not answer audits, nothing was checked.
 */
import { spawnSync } from 'node:child_process';

/** Returns the exit code of `npm audit --json` with this code and output: npm answers 1 also where no registry does. */
export function auditCode(status: number | null, output: string): number {
  if (status === 0) return 0;
  try {
    const { vulnerabilities, message, error } = JSON.parse(output);
    // An error of npm itself has a code, that of the registry a message alone.
    return vulnerabilities === undefined && message !== undefined && error?.code === undefined ? 75 : 1;
  } catch {
    return 1;
  }
}

if (import.meta.main) {
  const { status, stdout } = spawnSync('npm', ['audit', '--json', ...process.argv.slice(2)], {
    encoding: 'utf8',
  });
  process.exitCode = auditCode(status, stdout);
  if (process.exitCode === 75) console.log(`not reachable, not checked: ${JSON.parse(stdout).message}`);
  else console.log(process.exitCode === 0 ? 'no known vulnerabilities' : stdout);
}
