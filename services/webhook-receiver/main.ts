import { runService } from '#service/run-service.ts';
import { webhookReceiver } from './service.ts';

await runService(webhookReceiver);
