import { runService } from '#service/run-service.ts';
import { feedPoller } from './service.ts';

await runService(feedPoller);
