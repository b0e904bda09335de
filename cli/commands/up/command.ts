/** `touchline up`: every service except the simulator. */
import { defineCommand } from '../../command.ts';

/** Starts everything but the simulator. */
export const up = defineCommand({
  name: 'up',
  help: async () => (await import('./settings.ts')).help(),
  options: {
    replicas: { type: 'string', multiple: true },
  },
});
