/** What happens on which day of the year, beside matches. */
import { require } from './checks.ts';
import type { Year } from './year.ts';

export const FIRST_DAY = '2027-09-01';
export const LAST_DAY = '2028-08-31';
/** The day on which the customer's certificate expires: the day before a match day. */
export const CUSTOMER_EXPIRES = '2028-07-28';

const EVENTS: Readonly<Record<string, (year: Year) => Promise<void>>> = {
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
  '2028-04-25': async (year) => {
    await year.system.kafka.kill('SIGKILL');
    await year.system.kafka.start();
    year.note('the broker is killed, and started again');
  },
};

/** Whether something happens on a day, a check of the month included. */
export function hasEvent(day: string): boolean {
  return /-(?:01|20)$/.test(day) || EVENTS[day] !== undefined;
}

/** Runs what happens on a day. */
export async function happen(year: Year, day: string): Promise<void> {
  if (day.endsWith('-20')) {
    await year.system.stopServices();
    await year.system.startServices();
    year.note('all services are restarted');
  }
  await EVENTS[day]?.(year);
}
