/** Whether an assistant may act on a match: a real monitor, processor and gateway, over the broker. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { poll } from '#timing/poll.ts';
import { temporaryFolder } from '../../support/api.ts';
import { atEnd } from '../../support/at-end.ts';
import { DEADLINE_MS, until } from '../../support/poll.ts';
import { System } from '../../support/system.ts';
import { startGateway } from '../../support/tool-gateway.ts';
import { LiveFeed, startMonitor } from '../feed-monitor/support.ts';

const EVENT = 7_000_011;
/** A token has 120 requests a minute. */
const POLLING = { timeoutMs: DEADLINE_MS, everyMs: 600 };

test('/mcp says that a live match may be acted on, and no longer once the monitor is frozen', async () => {
  const system = await System.create();
  const { place } = system.pipeline;
  const monitor = startMonitor(place);
  const [api, feed] = await Promise.all([system.startApi(temporaryFolder()), LiveFeed.open(place)]);
  const gateway = await startGateway(place, api.url);
  feed.keepReporting(1_000);
  await feed.report('up');
  const end = { at: Number.POSITIVE_INFINITY };
  const playing = feed.play([EVENT], 500, () => end.at);
  atEnd(() => {
    end.at = 0;
    return playing;
  });

  const credentials = await system.addClient('desk');
  const token = await until('a token is issued', async () => {
    const { body } = await gateway.exchange({ client_id: credentials.id, secret_key: credentials.secret });
    return body.token;
  });
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(
    new StreamableHTTPClientTransport(new URL('/mcp', gateway.url), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    }),
  );
  atEnd(() => client.close());
  /** The feed of the match, once it is in this state. */
  const feedIs = (wanted: string) =>
    poll(async () => {
      const answer = await client.callTool({ name: 'get_match', arguments: { match_id: EVENT } });
      const { feed: shown } = (answer.structuredContent ?? {}) as { feed?: { state: string } };
      return shown?.state === wanted && shown;
    }, POLLING);

  expect(await feedIs('alive')).toMatchObject({ alive: true });
  monitor.signal('SIGSTOP');
  expect(await feedIs('expired')).toMatchObject({ alive: false });
  monitor.signal('SIGCONT');
  expect(await feedIs('alive')).toMatchObject({ alive: true });
});
