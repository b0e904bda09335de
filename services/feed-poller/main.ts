import { setFlagsFromString } from 'node:v8';
import { releaseIdleMemory } from '#service/memory.ts';
import { runService } from '#service/run-service.ts';
import { feedPoller } from './service.ts';

/** Growth of the heap before a collection, percent of the used heap. */
const HEAP_GROWING_PERCENT = 30;

setFlagsFromString(`--heap-growing-percent=${HEAP_GROWING_PERCENT}`);
releaseIdleMemory({ calm: 0.05, worthBytes: 8 * 1024 * 1024 });
await runService(feedPoller);
