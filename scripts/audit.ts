/**
 * Checks the installed packages for known vulnerabilities: `npm run audit`. Exit code 0: none found; 1: some found, or
 * the audit itself failed; 75: the registry does not answer audits, nothing was checked.
 */
import { spawnSync } from 'node:child_process';
import { z } from 'zod';

/** Result of an audit, with its exit code. */
export type AuditVerdict = {
  readonly exitCode: 0 | 1 | 75;
  readonly lines: readonly string[];
};

const report = z.object({
  auditReportVersion: z.literal(2),
  vulnerabilities: z.record(
    z.string(),
    z.object({ severity: z.string(), range: z.string(), isDirect: z.boolean() }),
  ),
});
/** Output without a usable answer of the registry. An error of npm itself has a code. */
const unreachable = z.object({
  message: z.string(),
  error: z.object({ code: z.undefined().optional() }),
});

/** Returns the verdict on the output of `npm audit --json`. */
export function judgeAudit(output: string): AuditVerdict {
  const parsed = parse(output);
  const found = report.safeParse(parsed);
  if (found.success) {
    const all = Object.entries(found.data.vulnerabilities);
    const lines = all.map(([name, { severity, range }]) => `${severity}: ${name} ${range}`);
    if (all.length === 0) return { exitCode: 0, lines: ['no known vulnerabilities'] };
    return {
      exitCode: 1,
      lines: [...lines, `${all.length} packages with known vulnerabilities: npm audit says more`],
    };
  }
  const failed = unreachable.safeParse(parsed);
  if (failed.success) return { exitCode: 75, lines: [`not reachable, not checked: ${failed.data.message}`] };
  return { exitCode: 1, lines: ['npm audit failed:', output.trim() || '(no output)'] };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

if (import.meta.main) {
  const args = ['audit', '--json', ...process.argv.slice(2)];
  const { exitCode, lines } = judgeAudit(spawnSync('npm', args, { encoding: 'utf8' }).stdout ?? '');
  for (const line of lines) console.log(line);
  process.exitCode = exitCode;
}
