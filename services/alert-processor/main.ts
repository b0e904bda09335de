import { runService } from '#service/run-service.ts';
import { alertProcessor } from './service.ts';

await runService(alertProcessor);
