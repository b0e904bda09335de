import type { CheckResult } from '../../cli/commands/doctor/finding.ts';
import type { SystemTables } from '../../cli/commands/doctor/system.ts';
import { touchlineHere } from './touchline-here.ts';

/** Runs `touchline doctor --json`. Returns what it found beside its output. */
export async function doctor(env: Readonly<Record<string, string>>, ...services: readonly string[]) {
  const { code, out, err } = await touchlineHere(['doctor', '--json', ...services], env);
  const { findings, tables } = JSON.parse(out) as {
    readonly findings: readonly CheckResult[];
    readonly tables: SystemTables | null;
  };
  return { code, out, err, findings, tables };
}
