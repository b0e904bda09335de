import type { SeededRandom } from './random.ts';

type Maker = (mark: string) => Buffer;

const text =
  (make: (mark: string) => string): Maker =>
  (mark) =>
    Buffer.from(make(mark));

/** Makers of unreadable bodies. Each body yields one dead letter. */
const MALFORMED: Readonly<Record<string, Maker>> = {
  not_json: text((mark) => `[{"id":"${mark}"`),
  not_an_array: text((mark) => JSON.stringify({ id: mark })),
  not_text: (mark) => Buffer.concat([Buffer.from(`["${mark}`), Buffer.from([0xff, 0xfe]), Buffer.from('"]')]),
  absurdly_nested: text((mark) => `${'['.repeat(3000)}"${mark}"${']'.repeat(3000)}`),
  no_message: text((mark) => JSON.stringify([mark])),
  no_event: text((mark) =>
    JSON.stringify([
      { id: mark, type: 'incident', source: 1, ut: 1, data: { incident: { id: '5-1', incident_id: 413 } } },
    ]),
  ),
};
const KINDS = Object.entries(MALFORMED);

/** Returns a malformed body and its kind. Bodies with different `n` differ. */
export function malformedBody(random: SeededRandom, n: number): [kind: string, body: Buffer] {
  const [kind, make] = KINDS[n % KINDS.length] ?? ['not_json', text((mark) => mark)];
  return [kind, make(`malformed-${n}-${random.int(0, 999_999)}`)];
}
