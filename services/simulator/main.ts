import { runService } from '#service/run-service.ts';
import { simulator } from './service.ts';

await runService(simulator);
