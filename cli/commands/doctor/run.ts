import type { GivenTo } from '../../command.ts';
import { escapeLine } from '../../values.ts';
import { runChecks } from './checks.ts';
import type { command } from './command.ts';
import type { CheckResult } from './rules.ts';

export async function run(...[services, { json }]: GivenTo<typeof command>): Promise<number> {
  const findings = await runChecks(process.env, services);
  process.stdout.write(json ? `${JSON.stringify(findings, null, 2)}\n` : renderFindings(findings));
  return findings.some(({ status }) => status === 'failed') ? 1 : 0;
}

/** Renders a line for each finding, its advice below it, and the counts. */
export function renderFindings(findings: readonly CheckResult[]): string {
  const lines = findings.map(({ check, status, message, advice }) => {
    const [first = '', ...more] = message.split('\n').map(escapeLine);
    const below = [...more, ...(advice === null ? [] : [`→ ${advice}`])].map(
      (line) => `\n${' '.repeat(20)}${line.trim()}`,
    );
    return `${status.padEnd(8)}  ${check.padEnd(8)}  ${first}${below.join('')}\n`;
  });
  const count = (of: CheckResult['status']) => findings.filter(({ status }) => status === of).length;
  return `${lines.join('')}\n${count('failed')} failed, ${count('warning')} warnings, ${count('ok')} fine\n`;
}
