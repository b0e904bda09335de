import { runService } from '#service/run-service.ts';
import { dispatcherConfig } from './config.ts';
import { SERVICE } from './name.ts';
import { startDispatcher } from './service.ts';

await runService({
  name: SERVICE,
  about: 'Delivers messages to the webhooks of clients, at least once and in order: POST /test-webhook-url/.',
  config: dispatcherConfig,
  start: startDispatcher,
});
