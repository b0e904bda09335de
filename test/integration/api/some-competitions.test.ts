/** An api and a tool gateway that serve one of two competitions, as processes with a broker. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { eventMessage, incidentMessage } from '#ingestion/testing/messages.ts';
import { backbone } from '../../setup/backbone.ts';
import { clients, credentialsOf, received, startApi } from '../../support/api.ts';
import { atEnd } from '../../support/at-end.ts';
import { Pipeline } from '../../support/pipeline.ts';
import { until, untilTrue } from '../../support/poll.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { startGateway } from '../../support/tool-gateway.ts';

const HERE = 7_000_001;
const ELSEWHERE = 7_000_002;
const SERVED = 'this server serves only the competition 6628';
const ELSEWHERE_IS = { id: ELSEWHERE, competition_id: 9, season_id: 90 };

test('serves one of two competitions, says so of the other, and rebuilds when an event moves into the served one', async () => {
  const pipeline = await Pipeline.create({
    ...backbone(),
    services: ['match-processor', 'api', 'tool-gateway'],
  });
  const { connection } = pipeline;
  pipeline.startProcessor();
  await pipeline.feed(
    received(
      incidentMessage({ id: 1 }),
      incidentMessage({ id: 2 }, { id: '5-210' }, ELSEWHERE_IS),
      eventMessage({ id: 3 }, { id: ELSEWHERE + 1, competition_id: 9, season_id: 90 }),
    ),
  );
  const credentials = await clients(connection, 'add --name everything');
  await pipeline.settled();
  const { id: client_id, secret: secret_key } = credentialsOf(credentials);

  const folder = temporaryFolder();
  const all = await startApi(connection, folder);
  const token = await all.token(credentials);
  await all.api(`/v2/events/${ELSEWHERE}?token=${token}`);
  const wanted = (await all.api(`/v2/events/${HERE}?token=${token}`)).data;
  expect(await all.service.stop()).toBe(0);

  // The same folder: views of another setting are rebuilt.
  const settings = { SERVE_COMPETITIONS: '6628' };
  const some = await startApi(connection, folder, settings);
  expect(some.service.lines.join('\n')).toContain('or for other competitions');
  expect((await some.api(`/v2/events/${HERE}?token=${token}`)).data).toEqual(wanted);
  const board = await some.api(`/v2/events?date_from=2026-08-15&token=${token}`);
  expect(board.data.competitions.map(({ id }: { id: number }) => id)).toEqual([6628]);
  const feed = await some.api(`/v2/feed?token=${token}`);
  expect(feed.data.map(({ id }: { id: number }) => id)).toEqual([1]);
  for (const path of [`/v2/events/${ELSEWHERE}?`, '/v2/events?competition_id=9&', `/v2/feed/${ELSEWHERE}?`])
    expect((await some.api(`${path}token=${token}`, 404)).error).toEqual({
      message: `Not found here: ${SERVED}`,
      internal_code: 8,
    });
  expect(await (await some.get('/health/ready')).text()).toContain('serves only the competition 6628');

  const gateway = await startGateway(connection as ReturnType<typeof backbone>, some.url, settings);
  const bearer = await until('a token is issued', async () => {
    const { body } = await gateway.exchange({ client_id, secret_key });
    return body.token;
  });
  const client = new Client({ name: 'test', version: '1.0.0' });
  const headers = { authorization: `Bearer ${bearer}` };
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', gateway.url), {
    requestInit: { headers },
  });
  await client.connect(transport);
  atEnd(() => client.close());
  expect(client.getInstructions()).toContain(SERVED.slice(1));
  const match = (match_id: number) => client.callTool({ name: 'get_match', arguments: { match_id } });
  expect((await match(HERE)).structuredContent).toMatchObject({ match_id: HERE, competition_id: 6628 });
  expect(await match(ELSEWHERE)).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining(`not_served: Not found here: ${SERVED}`) }],
  });

  // The provider moves the event into the served competition: its earlier messages were left out.
  await pipeline.feed(
    received(
      eventMessage({ id: 4, ut: 1_790_000_100 }, { ...ELSEWHERE_IS, competition_id: 6628, season_id: 25528 }),
    ),
  );
  await untilTrue('the api has ended', async () => some.service.exited);
  expect(some.service.lines.join('\n')).toContain('EVENT_MOVED_IN');
  const again = await startApi(connection, folder, settings);
  const incidents = await again.api(`/v2/events/${ELSEWHERE}/incidents?token=${token}`);
  expect(incidents.data.map(({ id }: { id: string }) => id)).toEqual(['5-210']);
});
