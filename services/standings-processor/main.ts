import { runService } from '#service/run-service.ts';
import { standingsProcessor } from './service.ts';

await runService(standingsProcessor);
