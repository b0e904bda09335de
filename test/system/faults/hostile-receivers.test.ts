import { expect, test } from 'vitest';
import { newSecret } from '#clients/keys.ts';
import { backbone } from '../../setup/backbone.ts';
import { CLIENTS_KEY, connectionEnv } from '../../support/environment.ts';
import { FAULT_TIMEOUT_MS, times } from '../../support/harness.ts';
import {
  EVENTS,
  HostileReceiver,
  KilledDispatchers,
  NumberedMessages,
  type OrderTime,
  outOfOrder,
  unexplainedRepeats,
} from '../../support/hostile-receiver.ts';
import { answers, type HostileAnswer } from '../../support/https-receiver.ts';
import { Pipeline } from '../../support/pipeline.ts';
import { until, untilTrue } from '../../support/poll.ts';
import { seeded } from '../../support/seed.ts';
import { type CommandOutput, touchlineHere } from '../../support/touchline-here.ts';
import { caFile, subscribe } from '../../support/webhooks.ts';

const KILLS = times(60, 6);
/** Share of requests with a fault. */
const RATE = 0.3;
const gone: HostileAnswer = (response) => void response.writeHead(410).end();
const connection = backbone();

async function touchline(line: string): Promise<CommandOutput> {
  return touchlineHere(line.split(' '), {
    ...connectionEnv(connection),
    CLIENTS_KEY,
    WEBHOOK_ALLOWED_RANGES: '127.0.0.0/8',
    WEBHOOK_CA_FILE: await caFile(),
  });
}

async function ordered(line: string): Promise<string> {
  const { code, out, err } = await touchline(line);
  expect(code, `${line}: ${err}`).toBe(0);
  return out;
}

/** Returns the client's id and the line of `webhooks list` of a webhook. */
async function listed(id: string): Promise<{ client: string; line: string }> {
  return until(`${id} is listed`, async () => {
    const line = (await ordered('webhooks list')).split('\n').find((one) => one.startsWith(id));
    const client = /^\S+ +(\d+) /.exec(line ?? '')?.[1];
    return line === undefined || client === undefined ? undefined : { client, line };
  });
}

async function epochOf(id: string): Promise<number> {
  const lines = (await ordered('webhooks list --json')).split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line)).find((row) => row.subscription_id === id)?.epoch ?? 0;
}

test(
  `loses nothing to receivers that fail in every way, over ${KILLS} kill -9 of dispatchers and each order of an operator`,
  async () => {
    const random = seeded();
    await Pipeline.create({ ...connection, services: ['webhook-dispatcher'] });
    const source = new NumberedMessages(connection);
    const dispatchers = new KilledDispatchers(connection);
    const receiver = () => HostileReceiver.start(newSecret(), RATE, random);
    const subscribed = async (one: HostileReceiver) =>
      subscribe(connection, { url: one.url, secret: one.secrets[0] ?? '' });
    const names = ['plain', 'resent', 'skipped', 'poisoned', 'rotated', 'disabled'] as const;
    const receivers = {} as Record<(typeof names)[number], HostileReceiver>;
    const ids = {} as Record<(typeof names)[number], string>;
    for (const name of names) {
      receivers[name] = await receiver();
      ids[name] = await subscribed(receivers[name]);
    }
    await dispatchers.start();
    await source.start();
    dispatchers.killOneAfterAnother(random);
    const arrives = (one: HostileReceiver, uuids: Iterable<string>, since = 0) => {
      const all = [...uuids];
      return untilTrue('all arrive', () => {
        const there = one.uuids(since);
        return all.every((uuid) => there.has(uuid));
      });
    };

    const orders = new Map<string, OrderTime[]>();
    // Until the dispatcher has applied the command, it delivers in the previous epoch, and sends these messages again.
    const order = async (line: string, id: string): Promise<string> => {
      const [from, epoch] = [Date.now(), await epochOf(id)];
      const out = await ordered(line);
      await untilTrue('it is applied', async () => (await epochOf(id)) > epoch);
      const time = { from: line.includes('resend') ? 0 : from, until: Date.now() };
      orders.set(id, [...(orders.get(id) ?? []), time]);
      return out;
    };
    for (const id of Object.values(ids))
      await untilTrue('it has begun', async () => !(await listed(id)).line.includes('not started'));

    // resend: sends all messages since a time again.
    const { resent } = receivers;
    await arrives(resent, source.published.slice(0, 20));
    const before = resent.accepted.length;
    const acceptedBefore = resent.uuids();
    expect(await order(`webhooks resend ${ids.resent} --from 1h`, ids.resent)).toMatch(
      /is sent \d+ messages again/,
    );
    await arrives(resent, acceptedBefore, before);

    // skip: never sends older waiting messages.
    const { skipped } = receivers;
    skipped.refusal = gone;
    const delivered = skipped.uuids();
    const waiting = source.published.length;
    await untilTrue('messages wait', () => source.published.length > waiting + 10);
    const composed = [...source.published];
    expect((await touchline(`webhooks skip ${ids.skipped} --before 0s`)).code).toBe(1);
    expect(await order(`webhooks skip ${ids.skipped} --before 0s --yes`, ids.skipped)).toMatch(
      /not sent [1-9]\d* messages/,
    );
    const composedAfter = source.published.length;
    await untilTrue('further messages wait', () => source.published.length > composedAfter + 10);
    skipped.refusal = null;

    // skip --message: skips only the message that the receiver cannot accept, in the middle of a batch.
    const { poisoned } = receivers;
    poisoned.refusal = answers.error;
    const beforePoison = source.published.length;
    await untilTrue('messages wait', () => source.published.length > beforePoison + EVENTS);
    const poison = await source.poison(poisoned.poison);
    await untilTrue('messages wait behind it', () => source.published.length > beforePoison + 4 * EVENTS);
    poisoned.refusal = null;
    const skipPoison = `webhooks skip ${ids.poisoned} --message ${poison}`;
    const waitsFirst = `1 messages of webhook ${ids.poisoned} would never be sent`;
    await untilTrue('it waits first', async () => (await touchline(skipPoison)).err.includes(waitsFirst));
    await order(`${skipPoison} --yes`, ids.poisoned);

    // rotate-secret: meanwhile the receiver accepts both secrets.
    const { rotated } = receivers;
    const { client } = await listed(ids.rotated);
    const proposed = await ordered(`clients webhook rotate-secret ${client} ${ids.rotated}`);
    rotated.secrets.push(/next signing secret (\w+)/.exec(proposed)?.[1] ?? '');
    await ordered(`clients webhook rotate-secret ${client} ${ids.rotated} --finish`);
    await untilTrue('the next secret signs', () => rotated.accepted.at(-1)?.signedBy === 1);

    // disable: sends nothing until the webhook is enabled, then everything.
    const { disabled } = receivers;
    await order(`webhooks disable ${ids.disabled}`, ids.disabled);
    await untilTrue('it is disabled', async () =>
      (await listed(ids.disabled)).line.includes('DISABLED: operator'),
    );
    const quiet = source.published.length;
    await untilTrue('messages wait', () => source.published.length > quiet + 20);
    expect(disabled.uuids()).not.toContain(source.published[quiet + 10]);
    await order(`webhooks enable ${ids.disabled}`, ids.disabled);

    await dispatchers.end(KILLS);
    await source.stop();
    const { kills } = dispatchers;
    expect(kills.length).toBeGreaterThanOrEqual(KILLS);
    for (const name of names) {
      const { accepted } = receivers[name];
      const gaveUp = new Set(
        name === 'skipped' ? composed.filter((uuid) => !delivered.has(uuid)) : receivers[name].poison,
      );
      const certain = source.published.filter((uuid, at) => {
        if (gaveUp.has(uuid)) return false;
        // Messages that were published during the command may be before or after it.
        return name !== 'skipped' || at < composed.length || at >= composedAfter;
      });
      await arrives(receivers[name], certain);
      const between = name === 'skipped' ? source.published.slice(composed.length, composedAfter) : [];
      expect(outOfOrder(accepted, new Set([...gaveUp, ...between])), `order of ${name}`).toBeNull();
      const repeats = unexplainedRepeats(accepted, kills, orders.get(ids[name]));
      expect(repeats, `repeats of ${name}, with kills at ${kills.join()}`).toEqual([]);
      for (const uuid of gaveUp) expect(receivers[name].uuids(), `given up by ${name}`).not.toContain(uuid);
      expect(accepted.every(({ signedBy }) => signedBy >= 0)).toBe(true);
    }
    const counts = names.map((name) => receivers[name].counts);
    for (const fault of Object.keys(counts[0] ?? {}))
      expect(
        counts.reduce((sum, of) => sum + (of[fault] ?? 0), 0),
        fault,
      ).toBeGreaterThan(0);
  },
  FAULT_TIMEOUT_MS,
);
