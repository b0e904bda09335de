import { giveMemoryBack, PROCESSOR_LIMITS } from '#service/memory.ts';
import { runService } from '#service/run-service.ts';
import { matchProcessor } from './service.ts';

giveMemoryBack(PROCESSOR_LIMITS);
await runService(matchProcessor);
