/** `touchline up`: every service except the simulator. */
import { defineCommand } from '../../command.ts';

export const command = defineCommand({
  help: async () => (await import('./settings.ts')).help(),
  options: {
    replicas: { type: 'string', multiple: true },
  },
});
