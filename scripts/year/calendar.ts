/** What happens on which day of the year, beside matches. */
import { randomBytes } from 'node:crypto';
import { ask } from './ask.ts';
import { require } from './checks.ts';
import { YearSystem } from './system.ts';
import type { Year } from './year.ts';

export const FIRST_DAY = '2027-09-01';
export const LAST_DAY = '2028-08-31';
/** The day on which the customer's certificate expires: the day before a match day. */
export const CUSTOMER_EXPIRES = '2028-07-28';

type Event = (year: Year) => Promise<void>;

/** Credentials and tokens of the year that events share. */
const shared = {
  token: '',
  leaving: [] as { id: string; secret: string }[],
  nextSecret: '',
  oldSecret: '',
  nextKey: '',
};

/** The restarts of the 20th of each month; some change a secret, in the order of the runbook. */
const restartsWith: Readonly<Record<string, (year: Year) => Record<string, string>>> = {
  '2027-11-20': (year) => {
    shared.nextSecret = randomBytes(16).toString('hex');
    return { WEBHOOK_SECRET: `${shared.nextSecret},${year.secret}` };
  },
  '2027-12-20': (year) => ({ WEBHOOK_SECRET: year.secret }),
  '2028-01-20': () => {
    shared.nextKey = randomBytes(32).toString('hex');
    return { CLIENTS_KEY_SECOND: shared.nextKey };
  },
  '2028-02-20': (year) => ({ CLIENTS_KEY: shared.nextKey, CLIENTS_KEY_SECOND: year.clientsKey }),
  '2028-03-20': () => ({ CLIENTS_KEY_SECOND: '' }),
};

const EVENTS: Readonly<Record<string, Event>> = {
  '2027-09-02': async (year) => {
    await year.check('an access token is issued and accepted', async () => {
      shared.token = await exchange(year);
      require((await tools(year, shared.token)) === 200, 'the new token is refused');
    });
  },
  '2027-10-10': async (year) => {
    const before = year.client.credentials;
    const printed = await year.system.succeed('clients', 'rotate-secret', before.id);
    const secret = /secret_key (\w+)/.exec(printed)?.[1] ?? '';
    year.client.credentials = { id: before.id, secret };
    year.note('the secret of a client is rotated');
    await year.check('the old secret of a client is refused, the new one accepted', async () => {
      await YearSystem.until(
        'the old secret is refused',
        async () => (await year.client.exchange(before)).status !== 200,
      );
      require((await year.client.exchange()).status === 200, 'the new secret is refused');
    });
  },
  '2027-11-22': async (year) => {
    shared.oldSecret = year.secret;
    year.secret = shared.nextSecret;
    year.note('the provider signs with the new secret');
  },
  '2027-12-05': async (year) => {
    await year.check('an expired access token is refused, and listed as expired', async () => {
      const status = await tools(year, shared.token);
      require(status === 401, `an access token of 90 days is answered ${status} after 95`);
      const listed = await year.system.succeed('tokens', 'list');
      require(/expired/.test(listed), `tokens list does not say so: ${listed}`);
      shared.token = await exchange(year);
      require((await tools(year, shared.token)) === 200, 'the next token is refused');
    });
  },
  '2027-12-06': async (year) => {
    await year.system.kafka.kill('SIGTERM');
    await year.system.kafka.start();
    year.note('the broker is restarted');
  },
  '2028-07-30': async (year) => {
    await year.check(
      'a customer whose certificate has expired is said by doctor and by webhooks list',
      async () => {
        const { out } = await year.doctor();
        require(/warning +webhooks .*CERT_HAS_EXPIRED.* it has expired/.test(out), out);
        const listed = await year.system.succeed('webhooks', 'list');
        require(/FAILING.*CERT_HAS_EXPIRED/.test(listed), `webhooks list does not say so: ${listed}`);
        const failing = await year.metric(
          'webhook-dispatcher',
          'touchline_dispatcher_subscriptions',
          'state="failing"',
        );
        require(failing === 1, `the metric says ${failing} failing`);
      },
    );
    year.customer.renew(year.renewed);
    year.isCustomerAway = false;
    const shown = await year.system.succeed('clients', 'show', year.client.credentials.id, '--json');
    const [, webhook = ''] = /"webhooks":\s*\[\s*"([^"]+)"/.exec(shown) ?? [];
    await year.system.succeed('webhooks', 'enable', webhook);
    await year.settle();
    year.note('the customer renews its certificate, and is sent what it missed');
  },
  '2028-02-21': async (year) => {
    await year.check('the webhooks of clients are sealed with the new key', async () => {
      const printed = await year.system.succeed('clients', 'webhook', 'reseal');
      require(printed.includes('1 webhooks were sealed again'), printed);
    });
  },
  '2028-04-25': async (year) => {
    await year.system.kafka.kill('SIGKILL');
    await year.system.kafka.start();
    year.note('the broker is killed, and started again');
  },
  '2028-05-10': async (year) => {
    await year.system.replaceBroker();
    await year.check('a broker on another machine has all, and doctor fails nothing', async () => {
      const { code, out } = await year.doctor();
      require(code === 0, out);
    });
    await year.system.startServices();
    year.note('the machine of the broker is replaced, and the views are built again');
    await year.checkMonth();
  },
};

/** Whether something happens on a day, a check of the month included. */
export function hasEvent(day: string): boolean {
  return /-(?:01|03|20)$/.test(day) || EVENTS[day] !== undefined;
}

/** Runs what happens on a day. */
export async function happen(year: Year, day: string): Promise<void> {
  if (day.endsWith('-03')) await comeAndGo(year, day);
  if (day.endsWith('-20')) {
    await year.restart(restartsWith[day]?.(year));
    await afterRestart(year, day);
  }
  await EVENTS[day]?.(year);
}

/** A client comes each month, and leaves three months later. */
async function comeAndGo(year: Year, day: string): Promise<void> {
  shared.leaving.push(await year.addClient(`since ${day}`));
  const gone = shared.leaving.length > 3 ? shared.leaving.shift() : undefined;
  if (gone === undefined) return;
  await year.system.succeed('clients', 'disable', gone.id);
  await year.check('a client that left is refused', () =>
    YearSystem.until('it is refused', async () => (await year.client.exchange(gone)).status !== 200),
  );
}

async function afterRestart(year: Year, day: string): Promise<void> {
  if (day !== '2027-12-20') return;
  await year.check('the old webhook secret is refused, and counted', async () => {
    const { status } = await year.post([], shared.oldSecret);
    require(status === 401, `it is answered ${status}`);
    const refused = await year.metric('webhook-receiver', 'touchline_webhook_refused_total');
    require(refused === 1, `the metric counts ${refused}`);
  });
}

/** Checks in the middle of a match whose feed has stopped that the monitor says so. */
export async function feedStops(year: Year): Promise<void> {
  await year.check('a feed that stops in the middle of matches is said', async () => {
    year.clock.setTo(year.clock.now() + 60_000);
    await YearSystem.until('no match of the source is believed', async () => {
      const stale = await year.metric('feed-monitor', 'touchline_feed_matches', 'state="stale"');
      const down = await year.metric('feed-monitor', 'touchline_feed_matches', 'state="down"');
      const source = await year.metric('feed-monitor', 'touchline_feed_source_state', 'state="alive"');
      return stale + down > 0 && source === 0;
    });
  });
}

async function exchange(year: Year): Promise<string> {
  const { id, secret } = year.client.credentials;
  const { status, body } = await ask(`${year.system.url('TOOLS_PORT')}/api/v1/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_id: id, secret_key: secret, label: 'year' }),
  });
  require(status === 201, `the exchange is answered ${status}`);
  return JSON.parse(body).token;
}

/** Status of a request to the tool endpoint with a token. */
async function tools(year: Year, token: string): Promise<number> {
  const { status } = await ask(`${year.system.url('TOOLS_PORT')}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${token}`,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'year', version: '1' },
      },
    }),
  });
  return status;
}
