import { z } from 'zod';
import { kafkaSettings, loadConfig } from '#service/config.ts';
import { grantCommands, isServiceName, SERVICE_NAMES } from '#topics/acls.ts';
import { type GivenTo, UsageError } from '../../command.ts';
import { printCommands } from '../../print-commands.ts';
import type { command } from './command.ts';

export async function run(given: GivenTo<typeof command>): Promise<number> {
  const { services, principal } = parse(given);
  const { TOPIC_PREFIX: prefix } = loadConfig(
    z.object({ TOPIC_PREFIX: kafkaSettings.TOPIC_PREFIX }),
    process.env,
  );
  printCommands(
    'kafka-acls.sh',
    services.flatMap((service) => grantCommands(prefix, service, principal ?? `User:${service}`)),
  );
  return 0;
}

function parse({ values }: GivenTo<typeof command>) {
  if (!values.print) throw new UsageError('it only prints: say --print');
  const { service, principal } = values;
  if (principal !== undefined && !/^[A-Za-z]+:[^'\s]+$/.test(principal))
    throw new UsageError('--principal must be <type>:<name>, as User:touchline');
  if (service === undefined) return { services: SERVICE_NAMES, principal };
  if (!isServiceName(service)) throw new UsageError(`there is no service ${JSON.stringify(service)}`);
  return { services: [service], principal };
}
