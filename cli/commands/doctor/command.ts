/** `touchline doctor`: checks what services need, and says what to do. */

import { defineCommand } from '../../command.ts';
import { serviceNames } from '../../services.ts';

const HELP = `Usage: touchline doctor [--json] [<service>...]

Checks, from here and with the settings of this environment, what services need: brokers and their known defects, topics against
the table, rights on them, the registry and its schemas, lag and lost input of the processors, the provider where
PROVIDER_BASE_URL is set, the clock, disks. Changes nothing. With services, also their settings.

  --json  a list of {check, status, message, advice}; status is ok, warning or failed

Exit code 1 where a check failed, 0 with warnings. The broker is that of KAFKA_BROKERS and SCHEMA_REGISTRY_URL, else the one
that touchline up or demo runs here.
`;

export const command = defineCommand({
  help: HELP,
  options: {
    json: { type: 'boolean', default: false },
  },
  words: () => serviceNames(),
});
