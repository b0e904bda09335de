/** What happens on which day of the year, beside matches. */
import { randomBytes } from 'node:crypto';
import { require } from './checks.ts';
import type { Year } from './year.ts';

export const FIRST_DAY = '2027-09-01';
export const LAST_DAY = '2028-08-31';
/** The day on which the customer's certificate expires: the day before a match day. */
export const CUSTOMER_EXPIRES = '2028-07-28';

/** Secrets of the year that events share. */
const shared = { nextSecret: '', oldSecret: '', nextKey: '' };

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

const EVENTS: Readonly<Record<string, (year: Year) => Promise<void>>> = {
  '2027-11-22': async (year) => {
    shared.oldSecret = year.secret;
    year.secret = shared.nextSecret;
    year.note('the provider signs with the new secret');
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
  return /-(?:01|20)$/.test(day) || EVENTS[day] !== undefined;
}

/** Runs what happens on a day. */
export async function happen(year: Year, day: string): Promise<void> {
  if (day.endsWith('-20')) {
    await year.restart(restartsWith[day]?.(year));
    await afterRestart(year, day);
  }
  await EVENTS[day]?.(year);
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
