import { runService } from '#service/run-service.ts';
import { api } from './service.ts';

await runService(api);
