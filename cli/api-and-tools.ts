/** The process of `touchline up` with api and tool gateway, which answer from one set of views. It ends when one of them fails. */
import { z } from 'zod';
import { runService } from '#service/run-service.ts';
import { settings as apiSettings } from '../services/api/config.ts';
import { openViews, serveApi } from '../services/api/service.ts';
import { settings as toolSettings } from '../services/tool-gateway/config.ts';
import { serveTools } from '../services/tool-gateway/service.ts';
import { API_AND_TOOLS } from './services.ts';

await runService({
  name: API_AND_TOOLS,
  parts: ['api', 'tool-gateway'],
  about: 'Runs api and tool gateway on one set of views.',
  config: z.object({ ...toolSettings.shape, ...apiSettings.shape }),
  async start(context) {
    const follower = await openViews(context);
    const part = (name: string) => ({ ...context, logger: context.logger.child({ part: name }) });
    return follower.serve(
      await Promise.all([serveApi(part('api'), follower), serveTools(part('tool-gateway'), follower)]),
    );
  },
});
