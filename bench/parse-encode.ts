/**
 * Measures the cost of a delivery on a thread that does nothing else: parsing its JSON, encoding its records in Avro,
 * and all of the receiver's work between. Prints the cpu time of each as JSON, garbage collection included.
 */
import { openDeliveryEncoder, readDelivery } from '#ingestion/delivery.ts';
import { Registry } from '#topics/registry.ts';
import { bodies } from './webhook-bodies.ts';

/** Options, as JSON in the first argument. */
export type BareCostOptions = { readonly registryUrl: string; readonly batch: number };

/** Cpu time of a delivery, microseconds. */
export type BareCost = {
  readonly parse: number;
  readonly encode: number;
  /** From the body to the records, as in the receiver. */
  readonly all: number;
};

const DELIVERIES = 2_000;
const WARM_UP = 10_000;
const MEASURED = 20_000;

const { registryUrl, batch }: BareCostOptions = JSON.parse(process.argv[2] ?? '{}');
const prefix = `bench-${process.pid.toString(36)}-parse-encode.`;
const encode = await openDeliveryEncoder(Registry.open({ url: registryUrl, prefix }), prefix);
const read = (body: Buffer) =>
  readDelivery(body, { origin: 'webhook', service: 'bench', receivedAt: Date.now() });
const sent = [...bodies({ run: 0, batch, deliveries: DELIVERIES })];
const deliveries = sent.map(read);
const at = <T>(of: readonly T[], n: number): T => of[n % of.length] as T;

const cost: BareCost = {
  parse: time((n) => JSON.parse(at(sent, n).toString())),
  encode: time((n) => encode(at(deliveries, n))),
  all: time((n) => encode(read(at(sent, n)))),
};
process.stdout.write(JSON.stringify(cost));

function time(work: (n: number) => unknown): number {
  for (let n = 0; n < WARM_UP; n++) work(n);
  const before = process.cpuUsage();
  for (let n = 0; n < MEASURED; n++) work(n);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / MEASURED;
}
