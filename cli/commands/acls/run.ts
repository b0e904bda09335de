import { z } from 'zod';
import { kafkaSettings, loadConfig } from '#service/config.ts';
import { grantCommands, SERVICE_NAMES } from '#topics/acls.ts';
import { type GivenTo, UsageError } from '../../command.ts';
import { printCommands } from '../print.ts';
import type { command } from './command.ts';

const settings = z.object({ TOPIC_PREFIX: kafkaSettings.TOPIC_PREFIX });

export async function run(...[{ service: only, principal }]: GivenTo<typeof command>): Promise<number> {
  if (principal !== undefined && !/^[A-Za-z]+:[^'\s]+$/.test(principal))
    throw new UsageError('--principal must be <type>:<name>, as User:touchline');
  const { TOPIC_PREFIX: prefix } = loadConfig(settings, process.env);
  const services = SERVICE_NAMES.filter((name) => only === undefined || name === only);
  printCommands(
    'kafka-acls.sh',
    services.flatMap((service) => grantCommands(prefix, service, principal ?? `User:${service}`)),
  );
  return 0;
}
