import avro from 'avsc';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Event, EventParticipant, TopicValues } from '#records/types.ts';
import {
  type AvroRecord,
  avroType,
  type Codec,
  createCodec,
  createDecoder,
  HEADER_BYTES,
  loadSchemas,
} from './codec.ts';
import { DecodeError, EncodeError } from './errors.ts';
import { sampleOf } from './testing/samples.ts';
import { TOPIC_NAMES, type TopicName } from './topics.ts';

const schemas = loadSchemas().topics;
const schemaOf = (topic: TopicName): AvroRecord => {
  const schema = schemas.get(topic);
  if (schema === undefined) throw new Error(`no schema of ${topic}`);
  return schema;
};
const unknownWriter = async () => null;

function codecOf<T extends TopicName>(topic: T, id = 7): Codec<TopicValues[T]> {
  return createCodec(topic, avroType(schemaOf(topic)), id, unknownWriter);
}

/** Returns plain objects: avsc's records have their own constructor. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('lists that messages repeat', () => {
  const sample = sampleOf('normalized-messages');
  const event = sample.event as Event;
  const codec = codecOf('normalized-messages');
  const encoded = (participants: readonly EventParticipant[]): Buffer =>
    codec.encode({ ...sample, event: { ...event, participants: [...participants] } });
  const listOf = (bytes: Buffer) => codec.decode(bytes).event?.participants ?? [];

  test('are one object as long as they are the same, and have the same bytes again', () => {
    const bytes = encoded(event.participants);
    const list = listOf(bytes);
    expect(list).not.toHaveLength(0);
    expect(listOf(bytes)).toBe(list);
    expect(encoded(list)).toEqual(bytes);
    expect(listOf(encoded(list.slice(1)))).not.toBe(list);
    expect(plain(listOf(encoded(list.slice(1))))).toEqual(plain(list.slice(1)));
    expect(() => list.pop()).toThrow(TypeError);
  });

  test('are forgotten once a thousand others were read twice over', () => {
    const [side] = event.participants as [EventParticipant];
    const first = listOf(encoded([side]));
    for (let id = 0; id < 2_048; id += 1) listOf(encoded([{ ...side, id }]));
    expect(listOf(encoded([side]))).not.toBe(first);
    expect(plain(listOf(encoded([side])))).toEqual(plain(first));
  });

  test('may be as long as a message: they grow the buffer, and are not remembered', () => {
    const [side] = event.participants as [EventParticipant];
    const sides = Array.from({ length: 5_000 }, (_, id) => ({ ...side, id }));
    const bytes = encoded(sides);
    expect(plain(listOf(bytes))).toEqual(plain(sides));
    expect(listOf(bytes)).not.toBe(listOf(bytes));
  });

  test('are refused with another length than they have', () => {
    const [side] = event.participants as [EventParticipant];
    const bytes = encoded([{ ...side, results: [], stats: [], other: {} }]);
    // One of the bytes is the length of the list.
    const refusals = [...bytes.keys()].map((at) => {
      const wrong = Buffer.from(bytes);
      wrong[at] = ((wrong[at] as number) + 0xfe) & 0xff;
      try {
        return listOf(wrong).length === 0 ? 'no list' : '';
      } catch (error) {
        return ((error as DecodeError).cause as Error | undefined)?.message;
      }
    });
    expect(refusals).toContain('a list is not as long as it says');
  });
});

describe('the wire format', () => {
  test('puts a zero byte and the big-endian id before the body', () => {
    const bytes = codecOf('match-incidents', 0x01020304).encode(sampleOf('match-incidents'));
    expect([...bytes.subarray(0, 5)]).toEqual([0, 1, 2, 3, 4]);
    const body = avroType(schemaOf('match-incidents')).toBuffer(sampleOf('match-incidents'));
    expect(bytes.subarray(5).equals(body)).toBe(true);
  });

  test.each(TOPIC_NAMES)('is read and written by avsc’s own types for a value of %s', (topic) => {
    const own = avro.Type.forSchema(schemaOf(topic) as avro.Schema, { wrapUnions: 'never' });
    const value = sampleOf(topic);
    const bytes = codecOf(topic).encode(value);
    expect(plain(own.fromBuffer(bytes.subarray(HEADER_BYTES)))).toEqual(plain(value));
    const others = Buffer.concat([bytes.subarray(0, HEADER_BYTES), own.toBuffer(value)]);
    expect(plain(codecOf(topic).decode(others))).toEqual(plain(value));
  });

  test('does not mix records encoded one after the other', () => {
    const codec = codecOf('match-incidents');
    const [first, second] = [sampleOf('match-incidents'), { ...sampleOf('match-incidents'), id: 'another' }];
    const bytes = [codec.encode(first), codec.encode(second)];
    expect(plain(codec.decode(bytes[0] as Buffer))).toEqual(plain(first));
    expect(plain(codec.decode(bytes[1] as Buffer))).toEqual(plain(second));
  });

  test('encodes a record larger than all before', () => {
    const codec = codecOf('raw-messages');
    for (const size of [10, 100_000, 5_000_000, 1]) {
      const value = { ...sampleOf('raw-messages'), body: Buffer.alloc(size, 'x') };
      expect(codec.encode(value)).toHaveLength(5 + avroType(schemaOf('raw-messages')).toBuffer(value).length);
      const read = codec.decode(codec.encode(value)) as typeof value;
      expect(read.body.equals(value.body)).toBe(true);
    }
  });

  test('accepts whole numbers up to 2^53 - 2 and any text', () => {
    const codec = codecOf('match-incidents');
    fc.assert(
      fc.property(fc.nat({ max: 2 ** 53 - 2 }), fc.string({ unit: 'grapheme' }), (number, text) => {
        const value = { ...sampleOf('match-incidents'), event_id: number, id: text };
        expect(plain(codec.decode(codec.encode(value)))).toEqual(plain(value));
      }),
    );
  });
});

describe('a value that does not fit', () => {
  test.each([
    ['a missing field', { version: undefined }, 'version'],
    ['the wrong type', { event_id: 'secret-text' }, 'event_id'],
    ['a fraction', { version: 1.5 }, 'version'],
    ['a missing field that may be null', { deleted_at: undefined }, 'deleted_at'],
    ['the wrong type where null may stand', { deleted_at: 'secret-text' }, 'deleted_at'],
    ['a missing record that may be null', { incident: undefined }, 'incident'],
    ['a number beyond 2^53 - 2, which avsc cannot write', { version: Number.MAX_SAFE_INTEGER }, 'version'],
    ['a wrong nested field', { cause: { ...sampleOf('match-incidents').cause, topic: 3 } }, 'cause.topic'],
  ])('%s causes an EncodeError that names the field, not the value', (_, change, path) => {
    const value = { ...sampleOf('match-incidents'), ...change } as unknown as TopicValues['match-incidents'];
    const encode = () => codecOf('match-incidents').encode(value);
    expect(encode).toThrow(EncodeError);
    expect(encode).toThrow(`match-incidents: cannot encode: does not fit the schema: ${path}`);
    expect(encode).not.toThrow('secret-text');
  });

  test('does not affect the next value', () => {
    const codec = codecOf('match-incidents');
    expect(() => codec.encode({} as TopicValues['match-incidents'])).toThrow(EncodeError);
    const value = sampleOf('match-incidents');
    expect(plain(codec.decode(codec.encode(value)))).toEqual(plain(value));
  });
});

describe('unreadable bytes', () => {
  const codec = codecOf('normalized-messages');
  const bytes = codec.encode(sampleOf('normalized-messages'));

  test.each([
    ['nothing', Buffer.alloc(0)],
    ['less than a header', bytes.subarray(0, 4)],
    ['another first byte', Buffer.concat([Buffer.from([1]), bytes.subarray(1)])],
    ['JSON', Buffer.from('{"a":1}')],
    ['no body', bytes.subarray(0, 5)],
    ['a body cut short', bytes.subarray(0, -1)],
    ['trailing bytes', Buffer.concat([bytes, Buffer.alloc(1)])],
  ])('such as %s cause a DecodeError', (_, wrong) => {
    expect(() => codec.decode(wrong)).toThrow(DecodeError);
  });

  test('with an unknown schema id cause a DecodeError', async () => {
    const wrong = Buffer.from(bytes);
    wrong.writeUInt32BE(99, 1);
    const refusal = 'normalized-messages: cannot decode: the registry has no schema 99';
    await expect(codec.read(wrong)).rejects.toThrow(refusal);
  });

  test.each(['array', 'map'])('with an %s that claims billions of items are rejected at once', (kind) => {
    const items = kind === 'array' ? { type: 'array', items: 'string' } : { type: 'map', values: 'string' };
    const schema = { type: 'record', name: 'R', fields: [{ name: 'a', type: items }] } as AvroRecord;
    const hostile = createCodec('test', avroType(schema), 0, unknownWriter);
    for (const count of [
      [0xfe, 0xff, 0xff, 0xff, 0x01, 0],
      [0xff, 0xff, 0xff, 0xff, 0x01, 0, 0],
    ])
      expect(() => hostile.decode(Buffer.from([0, 0, 0, 0, 0, ...count]))).toThrow(DecodeError);
  });

  test('decode to a value or cause a DecodeError, whatever bytes are changed', () => {
    for (const topic of TOPIC_NAMES) {
      const own = codecOf(topic);
      const good = own.encode(sampleOf(topic));
      fc.assert(
        fc.property(fc.nat(good.length - 6), fc.uint8Array({ minLength: 1, maxLength: 8 }), (at, patch) => {
          const wrong = Buffer.from(good);
          wrong.set(patch.subarray(0, wrong.length - 5 - at), 5 + at);
          try {
            own.decode(wrong);
          } catch (error) {
            expect(error).toBeInstanceOf(DecodeError);
          }
        }),
      );
    }
  });
});

describe("a writer's schema other than ours", () => {
  const record = (fields: AvroRecord['fields']): AvroRecord => ({ type: 'record', name: 'R', fields });
  const ours = record([
    { name: 'a', type: 'long' },
    { name: 'b', type: ['null', 'string'], default: null },
    { name: 'list', type: { type: 'array', items: 'string' }, default: [] },
  ]);
  const older = record([
    { name: 'a', type: 'int' },
    { name: 'gone', type: 'string' },
  ]);
  const written = createCodec('t', avroType(older), 1, unknownWriter).encode({ a: 5, gone: 'x' });

  test('is fetched once for all batches, and resolved to ours', async () => {
    const fetched: number[] = [];
    const fetch = async (id: number) => {
      fetched.push(id);
      return older;
    };
    const decoder = createDecoder('t', avroType(ours), fetch, 2);
    const batch = [{ value: null }, { value: written }, { value: Buffer.from([1]) }, { value: written }];
    await decoder.prepare(batch);
    await decoder.prepare(batch);
    expect(plain(decoder.decode(written))).toEqual({ a: 5, b: null, list: [] });
    expect(fetched).toEqual([1]);
  });

  test('causes an Error that is no DecodeError unless it was prepared', () => {
    const decoder = createDecoder('t', avroType(ours), async () => older);
    expect(() => decoder.decode(written)).toThrow('schema 1 is not prepared');
    expect(() => decoder.decode(written)).not.toThrow(DecodeError);
  });

  test('is fetched again for the next batch if the registry did not know it', async () => {
    let isKnown = false;
    const decoder = createDecoder('t', avroType(ours), async () => (isKnown ? older : null));
    await decoder.prepare([{ value: written }]);
    expect(() => decoder.decode(written)).toThrow(DecodeError);
    isKnown = true;
    await decoder.prepare([{ value: written }]);
    expect(plain(decoder.decode(written))).toMatchObject({ a: 5 });
  });

  test('is fetched again after the registry was down', async () => {
    let isDown = true;
    const decoder = createDecoder('t', avroType(ours), async () => {
      if (isDown) throw new Error('down');
      return older;
    });
    await expect(decoder.read(written)).rejects.toThrow('down');
    isDown = false;
    expect(plain(await decoder.read(written))).toMatchObject({ a: 5 });
  });

  test('causes a DecodeError if it cannot be resolved', async () => {
    const other = record([{ name: 'a', type: 'string' }]);
    const decoder = createDecoder('t', avroType(ours), async () => other);
    await expect(decoder.read(written)).rejects.toThrow(DecodeError);
  });
});
