import { readFileSync } from 'node:fs';
import { readDelivery } from '#contract/delivery.ts';

const msg = Buffer.from(
  '[' + JSON.stringify(JSON.parse(readFileSync('/work/shared/provider/rabbit__message.json', 'utf8'))) + ']',
);
const bench = (name: string, f: (m: any) => any, m = msg) => {
  for (let i = 0; i < 30000; i++) f(m);
  const t = process.hrtime.bigint();
  for (let i = 0; i < 50000; i++) f(m);
  console.log(name, Number(process.hrtime.bigint() - t) / 50000 / 1000, 'us');
};
const c = { origin: 'webhook', service: 'x', receivedAt: 1 } as const;
bench('delivery', (m) => readDelivery(m, c));
const u = new TextDecoder('utf-8', { fatal: true });
bench('decode', (m) => u.decode(m));
bench('tostring', (m) => m.toString('utf8'));
const { createHmac, hash, createSecretKey } = await import('node:crypto');
bench('sha256', (m) => hash('sha256', m, 'hex'));
bench('hmac', (m) => createHmac('sha256', 'a'.repeat(32)).update(m).update('.123').digest());
const k = createSecretKey(Buffer.from('a'.repeat(32)));
bench('hmac key', (m) => createHmac('sha256', k).update(m).update('.123').digest());
for (const b of [
  '['.repeat(2_500_000) + ']'.repeat(2_500_000),
  '[{"type":"event","id":1,"ut":1,"data":{"event":{"id":1,"x":' +
    '['.repeat(1000000) +
    ']'.repeat(1000000) +
    '}}}]',
  '[' + '1,'.repeat(2400000) + '1]',
  '[{"type":"incident","a":1}, 2 ,[3],"a,\\"]"]',
]) {
  const t = Date.now();
  const d = readDelivery(Buffer.from(b), c);
  console.log(
    d.deadLetters.length,
    d.deadLetters[0]!.code,
    d.deadLetters[0]!.reason,
    d.deadLetters.slice(0, 4).map((x) => x.value!.toString().slice(0, 50)),
    Date.now() - t,
    'ms',
  );
}
