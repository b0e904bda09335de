import { runService } from '#service/run-service.ts';
import { webhookComposer } from './service.ts';

await runService(webhookComposer);
