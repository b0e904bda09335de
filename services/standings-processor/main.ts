import { PROCESSOR_LIMITS, releaseIdleMemory } from '#service/memory.ts';
import { runService } from '#service/run-service.ts';
import { standingsProcessor } from './service.ts';

releaseIdleMemory(PROCESSOR_LIMITS);
await runService(standingsProcessor);
