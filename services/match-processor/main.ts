import { runService } from '#service/run-service.ts';
import { matchProcessor } from './service.ts';

await runService(matchProcessor);
