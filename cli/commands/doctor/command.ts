/** `touchline doctor`: checks what services need, and advises. */
import { Argument } from 'commander';
import { defineCommand } from '../../command.ts';
import { serviceNames } from '../../services.ts';

export const command = defineCommand('doctor', {
  about: `Checks from this machine, with the settings of this environment, what services need: brokers and their known
defects, topics and their settings, rights on topics, the registry and its schemas, lag of the processors, lost input and lost logs,
the provider when PROVIDER_BASE_URL is set, the feeds, the clock, those of receivers, disks; and the settings of the named services.
Changes nothing. Exit code 1 when a check failed, 0 with warnings.`,
  examples: ['doctor', 'doctor api feed-poller'],
})
  .addArgument(new Argument('[service...]', 'services whose settings are checked').choices(serviceNames()))
  .option('--json', 'prints a list of {check, status, message, advice}; status is ok, warning or failed');
