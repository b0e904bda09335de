import { z } from 'zod';
import { kafkaSettings, loadConfig } from '#service/config.ts';
import { grantCommands, SERVICE_NAMES } from '#topics/acls.ts';
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
  const services = SERVICE_NAMES.filter((name) => service === undefined || name === service);
  return { services, principal };
}
