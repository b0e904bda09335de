/** `touchline doctor`: checks what services need, and says what to do. */
import { type Command, parseArguments, UsageError } from '../../command.ts';
import { serviceNames } from '../../services.ts';
import { lineShown } from '../../values.ts';
import { runChecks } from './checks.ts';
import type { Finding } from './rules.ts';

const HELP = `Usage: touchline doctor [--json] [<service>...]

Checks, from here and with the settings of this environment, what services need: brokers and their known defects, topics against
the table, rights on them, the registry and its schemas, lag and lost input of the processors, the provider where
PROVIDER_BASE_URL is set, the clock, disks. Changes nothing. With services, also their settings.

  --json  a list of {check, status, message, advice}; status is ok, warning or failed

Exit code 1 where a check failed, 0 with warnings. The broker is that of KAFKA_BROKERS and SCHEMA_REGISTRY_URL, else the one
that touchline up or demo runs here.
`;

/** Checks an installation. */
export const doctor: Command = {
  name: 'doctor',
  help: HELP,
  async run(args) {
    const { values, positionals } = parseArguments(args, {
      options: { json: { type: 'boolean', default: false } },
      allowPositionals: true,
    });
    const unknown = positionals.find((name) => !serviceNames().includes(name));
    if (unknown !== undefined) throw new UsageError(`there is no service ${JSON.stringify(unknown)}`);
    const findings = await runChecks(process.env, positionals);
    process.stdout.write(values.json ? `${JSON.stringify(findings, null, 2)}\n` : renderFindings(findings));
    return findings.some(({ status }) => status === 'failed') ? 1 : 0;
  },
};

/** A line for each finding, the advice below it, and the count. */
export function renderFindings(findings: readonly Finding[]): string {
  const lines = findings.map(({ check, status, message, advice }) => {
    const [first = '', ...more] = message.split('\n').map(lineShown);
    const below = [...more, ...(advice === null ? [] : [`→ ${advice}`])].map(
      (line) => `\n${' '.repeat(20)}${line.trim()}`,
    );
    return `${status.padEnd(8)}  ${check.padEnd(8)}  ${first}${below.join('')}\n`;
  });
  const count = (of: Finding['status']) => findings.filter(({ status }) => status === of).length;
  return `${lines.join('')}\n${count('failed')} failed, ${count('warning')} warnings, ${count('ok')} fine\n`;
}
