/** `touchline doctor`: checks what services need, and advises. */
import { BROKER_HELP, defineCommand } from '../../command.ts';
import { serviceNames } from '../../services.ts';

const HELP = `Usage: touchline doctor [--json] [<service>...]

Checks from this machine, with the settings of this environment, what services need: brokers and their known defects, topics and
their settings, rights on topics, the registry and its schemas, lag of the processors, lost input and lost logs, the provider when
PROVIDER_BASE_URL is set, the feeds, the clock, those of receivers, disks; and the settings of the named services. Changes nothing.

  --json  prints a list of {check, status, message, advice}; status is ok, warning or failed

Exit code 1 when a check failed, 0 with warnings.
${BROKER_HELP}
`;

export const command = defineCommand({
  help: HELP,
  options: {
    json: { type: 'boolean', default: false },
  },
  words: () => serviceNames(),
});
