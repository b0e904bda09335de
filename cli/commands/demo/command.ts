/** `touchline demo`, which is `npm start`: everything, with real matches played into it. */
import { defineCommand } from '../../command.ts';

export const command = defineCommand({
  help: async () => (await import('./settings.ts')).help(),
  options: {
    keep: { type: 'boolean', default: false },
    brokers: { type: 'string', default: '1' },
  },
});
