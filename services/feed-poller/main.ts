import { runService } from '#service/run-service.ts';
import { pollerConfig } from './config.ts';
import { keepProcessSmall } from './memory.ts';
import { SERVICE } from './name.ts';
import { startPoller } from './service.ts';

keepProcessSmall();
await runService({
  name: SERVICE,
  about:
    "Reads the provider's REST interface: feed, board, schedule, catalogues, and incident lists to check by.",
  config: pollerConfig,
  start: startPoller,
});
