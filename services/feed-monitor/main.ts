import { runService } from '#service/run-service.ts';
import { feedMonitor } from './service.ts';

await runService(feedMonitor);
