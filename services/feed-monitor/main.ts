import { runService } from '#service/run-service.ts';
import { monitorConfig } from './config.ts';
import { SERVICE } from './name.ts';
import { startMonitor } from './service.ts';

await runService({
  name: SERVICE,
  about: 'Says of every source and live match whether it is alive, stale, down or recovering: feed-health.',
  config: monitorConfig,
  start: startMonitor,
});
