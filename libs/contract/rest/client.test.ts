import { describe, expect, test } from 'vitest';
import { AnswerError, parseAnswer, requestUrl, tokenUrl } from './client.ts';
import { NOW, testServer } from './testing/world.ts';

const BASE = 'https://provider.example';

const envelope = (data: unknown, method: object = {}) => ({
  api: { ver: '2.125', timestamp: NOW, method: { name: 'any', total_items: '', ...method }, data },
});

describe('an address', () => {
  test('has a form with the token for sending, and one without it for logs', () => {
    const request = { operation: 'events.incidents', id: 7, query: { deleted: 'no', limit: 500 } } as const;
    expect(requestUrl(BASE, request, 'se/cret')).toEqual({
      href: `${BASE}/v2/events/7/incidents?deleted=no&limit=500&token=se%2Fcret`,
      shown: `${BASE}/v2/events/7/incidents?deleted=no&limit=500`,
    });
    expect(requestUrl(BASE, { operation: 'sports.index' }, null).href).toBe(`${BASE}/v2/sports`);
  });

  test('of the token operation is shown without the credentials', () => {
    expect(tokenUrl(BASE, '1', 'a&b')).toEqual({
      href: `${BASE}/v2/oauth?client_id=1&secret_key=a%26b`,
      shown: `${BASE}/v2/oauth`,
    });
  });
});

describe('an answer', () => {
  test('of our own server can be parsed', async () => {
    const server = testServer();
    const response = await server.get(`/v2/livescore?limit=5&token=${await server.token()}`);
    const answer = parseAnswer('livescore.index', response.json());
    expect(answer).toMatchObject({ timestamp: NOW, total: 3, nextPage: null });
    expect(answer.parameters.limit).toBe('5');
    expect(answer.data.competitions[0]?.seasons[0]?.stages[0]?.groups[0]?.events[0]?.id).toBe(1);
  });

  test.each([
    ['', null],
    [null, null],
    [undefined, null],
    ['12', 12],
    [12, 12],
  ])('whose total is %j has a total of %j', (total_items, total) => {
    expect(parseAnswer('sports.index', envelope({ sports: [] }, { total_items })).total).toBe(total);
  });

  test.each([
    [[], {}],
    [undefined, {}],
    [null, {}],
    [
      { limit: 5, booked: false, none: null, deep: { a: 1 } },
      { limit: '5', booked: 'false', none: 'null' },
    ],
  ])('whose parameters are %j has the simple ones, as text', (parameters, texts) => {
    expect(parseAnswer('sports.index', envelope({ sports: [] }, { parameters })).parameters).toEqual(texts);
  });

  test.each([null, 'html', 7, [], {}, { api: {} }, { api: { data: {} } }])(
    'is not an envelope: %j',
    (json) => {
      expect(() => parseAnswer('sports.index', json)).toThrow(
        expect.objectContaining({ code: 'NOT_AN_ENVELOPE' }),
      );
    },
  );

  test('of a ranking may lack zones and corrections, and have values of either type in any order', () => {
    const row = (columns: object[]) => ({ id: 1, name: 'A Player', rank: 1, columns });
    const goals = { id: 6, code: 'goals_scored', value: 3 };
    const mean = { id: 9, code: 'goals_per_match', value: '0.75' };
    const rows = [row([goals, mean]), row([mean, { ...goals, value: '2' }])];
    const standings = {
      id: 7,
      name: 'Top scorers',
      type_id: 6,
      type_name: 'Top scorers',
      object_type: 'season',
      object_id: 20,
      columns: [],
      groups: [{ id: '', name: '', participants: rows }],
    };
    const [group] = parseAnswer('standings.show', envelope({ standings })).data.standings.groups ?? [];
    const values = group?.participants?.map(({ columns }) => {
      const column = columns.find(({ code }) => code === 'goals_scored');
      return Number(column?.value);
    });
    expect(values).toEqual([3, 2]);
  });

  test('may be an empty catalogue of tables', () => {
    const { data, total } = parseAnswer('standings.index', envelope({ standings_list: [] }));
    expect([data.standings_list, total]).toEqual([[], null]);
  });

  test('with data of another shape is rejected with the place, and without values', () => {
    const parse = () => parseAnswer('sports.index', envelope({ sports: [{ id: 'se-cret' }] }));
    expect(parse).toThrow(AnswerError);
    expect(parse).toThrow(/^the answer of sports\.index .* at sports\.0\.id/);
    expect(parse).not.toThrow(/se-cret/);
    expect(parse).toThrow(expect.objectContaining({ name: 'AnswerError', code: 'UNEXPECTED_DATA' }));
    const many = () => parseAnswer('sports.index', envelope({ sports: [{}, {}, {}] }));
    expect(many).toThrow(/ at sports\.0\.id, sports\.0\.name, sports\.1\.id$/);
    expect(() => parseAnswer('sports.index', envelope(null))).toThrow(/ at the whole$/);
  });
});
