/** `touchline acls`: the rights of each service, as commands for an operator. */
import { z } from 'zod';
import { kafkaSettings, loadConfig } from '#service/config.ts';
import { isServiceName, SERVICE_NAMES, type ServiceName } from '#topics/acls.ts';
import { grantCommands } from '#topics/render-acls.ts';
import { type Command, parseArguments, UsageError } from '../command.ts';
import { printCommands } from '../print-commands.ts';

const HELP = `Usage: touchline acls --print [--service <name>] [--principal <type:name>]

Prints the commands of kafka-acls.sh that grant each service its rights and nothing beside; docs/reference/acls.md lists them.
It changes nothing and needs no broker.

  --print                  prints the commands
  --service <name>         those of one service: ${SERVICE_NAMES.join(', ')}
  --principal <type:name>  who is granted them; default: User:<name of the service>

Names begin with TOPIC_PREFIX.
`;

/** Prints the commands. */
export const acls: Command = {
  name: 'acls',
  help: HELP,
  async run(args) {
    const { services, principal } = parse(args);
    const { TOPIC_PREFIX: prefix } = loadConfig(
      z.object({ TOPIC_PREFIX: kafkaSettings.TOPIC_PREFIX }),
      process.env,
    );
    printCommands(
      'kafka-acls.sh',
      services.flatMap((service) => grantCommands(prefix, service, principal ?? `User:${service}`)),
    );
    return 0;
  },
};

function parse(args: readonly string[]): { services: readonly ServiceName[]; principal: string | undefined } {
  const options = {
    print: { type: 'boolean', default: false },
    service: { type: 'string' },
    principal: { type: 'string' },
  } as const;
  const { values } = parseArguments(args, { options });
  if (!values.print) throw new UsageError('it only prints: say --print');
  const { service, principal } = values;
  if (principal !== undefined && !/^[A-Za-z]+:[^'\s]+$/.test(principal))
    throw new UsageError('--principal must be <type>:<name>, as User:touchline');
  if (service === undefined) return { services: SERVICE_NAMES, principal };
  if (!isServiceName(service)) throw new UsageError(`there is no service ${JSON.stringify(service)}`);
  return { services: [service], principal };
}
