/** `touchline acls`: the rights of each service, as commands for an operator. */
import { SERVICE_NAMES } from '#topics/acls.ts';
import { defineCommand } from '../../command.ts';

const HELP = `Usage: touchline acls --print [--service <name>] [--principal <type:name>]

Prints the commands of kafka-acls.sh that grant each service its rights and nothing beside; docs/reference/acls.md lists them.
It changes nothing and needs no broker.

  --print                  prints the commands
  --service <name>         those of one service: ${SERVICE_NAMES.join(', ')}
  --principal <type:name>  who is granted them; default: User:<name of the service>

Names begin with TOPIC_PREFIX.
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
