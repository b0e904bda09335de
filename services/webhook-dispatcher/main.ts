import { runService } from '#service/run-service.ts';
import { webhookDispatcher } from './service.ts';

await runService(webhookDispatcher);
