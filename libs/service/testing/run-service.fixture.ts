/** A service for run-service.test.ts. It prints its events to stdout; `MODE` selects its behaviour. */
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { listenSettings, processSettings, secret } from '../config.ts';
import { runService } from '../run-service.ts';

const say = (text: string): void => void process.stdout.write(`${text}\n`);

await runService({
  name: 'fixture',
  about: 'Does nothing, well.',
  // Set only by the test of this limit: other stops may take as long as a busy machine needs.
  stopWithinMs: Number(process.env.STOP_WITHIN_MS ?? 60_000),
  config: z.object({
    ...processSettings,
    DRAIN_MS: listenSettings.DRAIN_MS,
    MODE: z.string().default('plain').describe('What it does.'),
    PIN: secret(z.string().length(6, 'must have 6 characters')).default('000000').describe('A secret.'),
  }),
  async start({ config, logger, signal, fail }) {
    const { MODE: mode } = config;
    logger.info(`the pin is ${config.PIN}`);
    if (mode === 'fails-to-start') throw new Error('no broker');
    if (mode === 'slow-start' || mode === 'deaf-start') {
      say('starting');
      await delay(60_000, undefined, mode === 'deaf-start' ? {} : { signal });
    }
    if (mode === 'rejects') setTimeout(() => void Promise.reject(new Error('nobody listens')), 10);
    if (mode === 'throws') setTimeout(() => [1].map(() => JSON.parse('{')), 10);
    if (mode === 'reports') setTimeout(() => [new Error('first'), new Error('second')].forEach(fail), 10);
    if (mode === 'reports-later')
      process.once('SIGTERM', () => setTimeout(() => fail(new Error('late')), 100));
    // Sends both signals before the first is handled; from another process any time could pass between them.
    if (mode === 'asked-twice')
      setTimeout(() => ['SIGINT', 'SIGTERM'].map((signal) => process.kill(process.pid, signal)), 10);
    process.emitWarning('odd things happen');
    setImmediate(say, 'started');
    return {
      ready: () => true,
      async stop() {
        say('stop called');
        await delay(mode === 'hangs' ? 600_000 : 100);
        say('stop done');
      },
    };
  },
});
