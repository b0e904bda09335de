import { runService } from '#service/run-service.ts';
import { toolGateway } from './service.ts';

await runService(toolGateway);
