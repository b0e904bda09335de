import { runService } from '#service/run-service.ts';
import { receiverConfig } from './config.ts';
import { SERVICE } from './name.ts';
import { startReceiver } from './service.ts';

await runService({
  name: SERVICE,
  about: 'Takes the signed messages of the provider in: POST /webhook.',
  config: receiverConfig,
  start: startReceiver,
});
