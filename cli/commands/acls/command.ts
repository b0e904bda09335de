/** `touchline acls`: prints the commands that grant each service its rights. */
import { SERVICE_NAMES } from '#topics/acls.ts';
import { defineCommand } from '../../command.ts';

const HELP = `Usage: touchline acls --print [--service <name>] [--principal <type:name>]

Prints the commands of kafka-acls.sh that grant each service exactly the rights it needs.
Changes nothing and needs no broker.

  --print                  prints the commands; required
  --service <name>         only those of one service: ${SERVICE_NAMES.join(', ')}
  --principal <type:name>  principal that gets the rights; default: User:<name of the service>

Names of topics and groups begin with TOPIC_PREFIX.
`;

export const command = defineCommand({
  help: HELP,
  options: {
    print: { type: 'boolean', default: false },
    service: { type: 'string' },
    principal: { type: 'string' },
  },
  choices: { service: SERVICE_NAMES },
});
