import { z } from 'zod';
import { kafkaSettings, loadConfig } from '#service/config.ts';
import { grantCommands, SERVICE_NAMES } from '#topics/acls.ts';
import { type ArgumentsOf, UsageError } from '../../command.ts';
import { printCommands } from '../print.ts';
import type { command } from './command.ts';

const settings = z.object({ TOPIC_PREFIX: kafkaSettings.TOPIC_PREFIX });

export async function run({ values }: ArgumentsOf<typeof command>): Promise<number> {
  const { print, service: only, principal } = values;
  if (!print) throw new UsageError('acls only prints commands: add --print');
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
