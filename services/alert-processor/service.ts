import { openAlertProcessor } from '#processors/alerts/alert-processor.ts';
import { readRules } from '#processors/alerts/rules.ts';
import type { ServiceDefinition } from '#service/run-service.ts';
import { stageLatencies } from '#service/stage-latency.ts';
import { settings } from './config.ts';

/** The service that publishes the alerts of a file of rules, with a task for each partition of match-transitions. */
export const alertProcessor: ServiceDefinition<typeof settings> = {
  name: 'alert-processor',
  about: 'Publishes an alert for each change of a match that fits a rule, exactly once.',
  config: settings,
  async start(context) {
    const { config, logger, metrics, fail } = context;
    if (config.ALERT_RULES_FILE === '') {
      logger.info('no alerts: ALERT_RULES_FILE is empty');
      return { ready: () => true, stop: async () => {} };
    }
    const rules = readRules(config.ALERT_RULES_FILE);
    const { received_to_alert } = stageLatencies(metrics, ['received_to_alert']);
    const onPublished = (receivedAt: readonly number[]): void => {
      const now = Date.now();
      for (const at of receivedAt) received_to_alert(now - at);
    };
    const processor = await openAlertProcessor(context, { rules, maxAgeMs: null, onPublished });
    const stopping = new AbortController();
    processor.read(stopping.signal).catch(fail);
    const running = await processor.start();
    return {
      ready: running.ready,
      async stop() {
        stopping.abort();
        await running.stop();
      },
    };
  },
};
