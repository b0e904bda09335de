import { Option } from 'commander';
import { SERVICE_NAMES } from '#topics/acls.ts';
import { defineCommand } from '../../command.ts';

export const command = defineCommand('acls', {
  about:
    'Prints the commands of kafka-acls.sh that grant each service exactly the rights it needs. Changes nothing.',
  examples: ['acls --print --service api'],
  notes: 'Names of topics and groups begin with TOPIC_PREFIX.',
})
  .requiredOption('--print', 'prints the commands')
  .addOption(new Option('--service <name>', 'only those of one service').choices(SERVICE_NAMES))
  .option('--principal <type:name>', 'principal that gets the rights; default: User:<name of the service>');
