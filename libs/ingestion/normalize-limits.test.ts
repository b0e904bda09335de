/** The limits of messages and snapshots, in bytes of UTF-8. */
import { describe, expect, test } from 'vitest';
import { avroType, loadSchemas } from '#topics/codec.ts';
import { TOPICS } from '#topics/topics.ts';
import { MAX_MESSAGE_BYTES, MAX_SNAPSHOT_BYTES, normalizeMessage, normalizeSnapshot } from './normalize.ts';
import { CONTEXT, incidentMessage, incidentRecord } from './testing/messages.ts';
import { normalized, reasonOf } from './testing/normalized.ts';

const schema = loadSchemas().topics.get('normalized-messages');
if (schema === undefined) throw new Error('no schema of normalized-messages');
const normalizedType = avroType(schema);

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

/** Returns a text of so many bytes of UTF-8: the character repeated, then padded with ASCII. */
function textOf(bytes: number, character: string): string {
  const each = Buffer.byteLength(character);
  return character.repeat(Math.floor(bytes / each)) + 'x'.repeat(bytes % each);
}

describe.each(['x', 'é', '球', '🏆'])('limits in bytes, of text of %s', (character) => {
  const name = (bytes: number) => textOf(bytes, character);

  test('accept an incident id of up to 255', () => {
    const id = (bytes: number) =>
      reasonOf(normalizeMessage(incidentMessage({}, { id: name(bytes) }), CONTEXT));
    expect(id(255)).toBe('normalized');
    expect(id(256)).toBe('unknown_shape data.incident.id: expected text of 1 to 255 bytes');
  });

  test.each(['event', 'incident'])('accept a message that fills its limit with its %s', (part) => {
    const message = (text: string) =>
      part === 'event' ? incidentMessage({}, {}, { name: text }) : incidentMessage({}, { info: text });
    const { event, incident } = normalized(message(''));
    const left = MAX_MESSAGE_BYTES - bytesOf([event, { ...incident?.incident, message_id: null }]);
    expect(reasonOf(normalizeMessage(message(name(left)), CONTEXT))).toBe('normalized');
    expect(reasonOf(normalizeMessage(message(name(left + 1)), CONTEXT))).toMatch(
      /^too_large message: more than 524288 bytes$/,
    );
  });

  const context = { ...CONTEXT, origin: 'feed' } as const;
  const snapshot = (incidents: unknown[]) =>
    normalizeSnapshot({ messageId: 's', eventId: 7, time: 1_790_000_900, incidents }, context);
  const listed = (id: number, info: string) => incidentRecord({ id: `5-${id}`, info });
  const overhead = bytesOf({
    ...normalized(incidentMessage({}, listed(100, ''))).incident?.incident,
    message_id: null,
  });

  test('accept an incident of a snapshot that fills the limit of a message', () => {
    const left = MAX_MESSAGE_BYTES - overhead;
    expect(reasonOf(snapshot([listed(100, name(left))]))).toBe('normalized');
    expect(reasonOf(snapshot([listed(100, ''), listed(101, name(left + 1))]))).toMatch(
      /^too_large incidents\.1: more than 524288 bytes$/,
    );
  });

  test('accept incidents that together fill the limit of a snapshot', () => {
    // Brackets and commas around them: `[[…,…],[]]`.
    const all = MAX_SNAPSHOT_BYTES - '[[],[]]'.length - 15;
    const each = Math.floor(all / 16);
    const list = (more: number) =>
      Array.from({ length: 16 }, (_, at) =>
        listed(100 + at, name(each - overhead + (at === 7 ? more + (all % 16) : 0))),
      );
    expect(reasonOf(snapshot(list(0)))).toBe('normalized');
    expect(reasonOf(snapshot(list(1)))).toMatch(/^too_large incidents: more than 4194304 bytes$/);
  });
});

const longest = 'i'.repeat(251);
test.each([
  { of: 'the shortest incidents', incident: (at: number) => ({ id: at.toString(36), incident_id: 413 }) },
  {
    of: 'incidents that are mostly ids',
    incident: (at: number) => {
      const id = `${at}${longest}`.slice(0, 255);
      return { id, incident_id: 413, parent_id: id };
    },
  },
])('the largest snapshots fit a record of normalized-messages: of $of', ({ incident }) => {
  const listOf = (count: number) => {
    const incidents = Array.from({ length: count }, (_, at) => incident(at));
    return normalizeSnapshot({ messageId: 's', eventId: 7, time: 1_790_000_900, incidents }, CONTEXT);
  };
  let count = 4_000;
  while (listOf(count + 500).kind === 'normalized') count += 500;
  const result = listOf(count);
  if (result.kind !== 'normalized') throw new Error(reasonOf(result));
  expect(normalizedType.toBuffer(result.message).length).toBeLessThan(
    TOPICS['normalized-messages'].maxMessageBytes - 64 * 1024,
  );
});

test('rejects a message with a ut after the year 9999, as one in milliseconds', () => {
  const last = Date.parse('9999-12-31T23:59:59Z') / 1000;
  const ofMessage = (ut: unknown) => reasonOf(normalizeMessage(incidentMessage({ ut }), CONTEXT));
  expect(ofMessage(last)).toBe('normalized');
  expect(ofMessage(last + 1)).toBe('unknown_shape ut: expected a whole number from 0 to 253402300799');
  expect(ofMessage(Date.now())).toMatch(/^unknown_shape /);
});
