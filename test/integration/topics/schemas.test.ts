/** The real registry checks schemas, and codecs read records of other writers. */
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type AvroRecord, avroType, loadSchemas } from '#topics/codec.ts';
import { DecodeError, IncompatibleSchemaError } from '#topics/errors.ts';
import { Registry } from '#topics/registry.ts';
import { sampleOf } from '#topics/testing/samples.ts';
import { TOPIC_NAMES, type TopicName } from '#topics/topics.ts';
import { backbone } from '../../setup/backbone.ts';
import { serve } from '../../support/listen.ts';
import { rounds } from '../../support/rounds.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const CONTENT_TYPE = { 'content-type': 'application/vnd.schemaregistry.v1+json' };

/** Registers a schema through the registry's API alone, as another tool would. Returns its id. */
async function register(subject: string, schema: AvroRecord): Promise<number> {
  const { registryUrl } = backbone();
  const response = await fetch(`${registryUrl}/subjects/${subject}/versions`, {
    method: 'POST',
    headers: CONTENT_TYPE,
    body: JSON.stringify({ schema: JSON.stringify(schema) }),
  });
  expect(response.status, await response.clone().text()).toBe(200);
  return ((await response.json()) as { id: number }).id;
}

async function get(path: string): Promise<unknown> {
  return (await fetch(`${backbone().registryUrl}${path}`)).json();
}

/** Returns the rule that checks a subject: its own, else that for all. */
const ruleOf = (subject: string) => get(`/config/${subject}?defaultToGlobal=true`);

async function setCompatibility(subject: string, compatibility: string): Promise<void> {
  const { registryUrl } = backbone();
  const body = JSON.stringify({ compatibility });
  const response = await fetch(`${registryUrl}/config/${subject}`, {
    method: 'PUT',
    headers: CONTENT_TYPE,
    body,
  });
  expect(response.status).toBe(200);
}

function openRegistry(): Registry {
  const { registryUrl, prefix } = backbone();
  return new Registry({ url: registryUrl, prefix });
}

function schemaOf(topic: string): AvroRecord {
  const schema = loadSchemas().topics.get(topic);
  if (schema === undefined) throw new Error(`no schema of ${topic}`);
  return schema;
}

/** Returns the schemas of the last tag `v<version>` in the history; none before the first release. */
function releasedSchemas(): ReadonlyMap<string, AvroRecord> {
  const git = (...args: string[]) => spawnSync('git', args, { encoding: 'utf8' });
  const tag = git('describe', '--tags', '--abbrev=0', '--match', 'v[0-9]*').stdout.trim();
  if (tag === '') return new Map();
  const folder = temporaryFolder();
  execFileSync('sh', ['-c', 'git archive "$0" schemas | tar -x -C "$1"', tag, folder]);
  return loadSchemas(pathToFileURL(join(folder, 'schemas/'))).topics;
}

const without = (schema: AvroRecord, field: string): AvroRecord => ({
  ...schema,
  fields: schema.fields.filter(({ name }) => name !== field),
});

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

test('registers in the order of the table, and needs no right to register what is registered', async () => {
  const { registryUrl, prefix } = backbone();
  const registered: string[] = [];
  let mayWrite = true;
  const url = await serve((incoming, answer) => {
    const { method = 'GET', url: path = '' } = incoming;
    const registers = method === 'POST' && path.endsWith('/versions');
    if (!mayWrite && (registers || method === 'PUT'))
      return void answer.writeHead(403).end('{"error_code":40301,"message":"read only"}');
    if (registers) registered.push(path);
    void text(incoming).then(async (body) => {
      const theirs = await fetch(`${new URL(registryUrl).origin}${path}`, {
        method,
        headers: CONTENT_TYPE,
        ...(body === '' ? {} : { body }),
      });
      answer.writeHead(theirs.status, CONTENT_TYPE).end(await theirs.text());
    });
  });
  const through = () =>
    new Registry({
      url: `${url}${new URL(registryUrl).pathname}`,
      prefix: `${prefix}ordered.`,
      waitMs: 5_000,
    });
  await through().registerAll();
  expect(registered).toEqual(
    TOPIC_NAMES.map((topic) => expect.stringContaining(`${prefix}ordered.${topic}-value/versions`)),
  );
  mayWrite = false;
  const codec = await through().codec('clients');
  expect(codec.decode(codec.encode(sampleOf('clients')))).toEqual(sampleOf('clients'));
  await expect(
    new Registry({ url: `${url}${new URL(registryUrl).pathname}`, prefix: `${prefix}none.` }).codec(
      'clients',
    ),
  ).rejects.toMatchObject({ code: 'REGISTRY_REFUSES' });
});

describe('compatibility', () => {
  test('lets the current schemas read records of the last released ones, once there are any', async () => {
    const registry = openRegistry();
    const released = releasedSchemas();
    expect(TOPIC_NAMES).toEqual(expect.arrayContaining([...released.keys()]));
    for (const [topic, schema] of released) {
      await register(registry.subject(topic as TopicName), schema);
      await setCompatibility(registry.subject(topic as TopicName), 'BACKWARD');
      await registry.codec(topic as TopicName);
    }
  });

  test('registers every topic once under its subject, with the rule BACKWARD, from several processes at once', async () => {
    const { registryUrl: url, prefix } = backbone();
    const open = () => new Registry({ url, prefix });
    await Promise.all(Array.from({ length: rounds(8) }, () => open().registerAll()));
    for (const topic of TOPIC_NAMES) {
      const subject = open().subject(topic);
      expect(await get(`/subjects/${subject}/versions`)).toEqual([1]);
      const latest = (await get(`/subjects/${subject}/versions/latest`)) as { schema: string };
      expect(JSON.parse(latest.schema)).toEqual(schemaOf(topic));
      expect(await ruleOf(subject)).toEqual({ compatibilityLevel: 'BACKWARD' });
    }
  });

  test('sets the rule of a subject where none is for all, before its first schema, and says why one is refused', async () => {
    const { registryUrl, prefix } = backbone();
    const url = await startProxy(registryUrl, (path) =>
      path === '/config' ? '/none' : path.replace('?defaultToGlobal=true', ''),
    );
    const registry = new Registry({ url, prefix });
    const subject = registry.subject('match-state');
    await register(subject, without(schemaOf('match-state'), 'version'));
    const refusal = await registry.registerAll().catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(IncompatibleSchemaError);
    expect(refusal).toMatchObject({
      code: 'SCHEMA_INCOMPATIBLE',
      message: expect.stringMatching(/^match-state: the registry refuses its schema .*[Ii]ncompatible/),
    });
    expect(await get(`/config/${subject}`)).toEqual({ compatibilityLevel: 'BACKWARD' });
  });

  test('keeps a stricter rule, and rejects one without a backward check', async () => {
    const registry = openRegistry();
    await setCompatibility(registry.subject('match-state'), 'FULL_TRANSITIVE');
    await setCompatibility(registry.subject('match-incidents'), 'FORWARD');
    await registry.codec('match-state');
    const rule = await ruleOf(registry.subject('match-state'));
    expect(rule).toEqual({ compatibilityLevel: 'FULL_TRANSITIVE' });
    await expect(registry.codec('match-incidents')).rejects.toThrow(
      'it is checked as FORWARD, which does not include BACKWARD',
    );
  });
});

describe('codecs', () => {
  test('read a record of an older schema in the current shape', async () => {
    const registry = openRegistry();
    const ours = schemaOf('dead-letters');
    const older: AvroRecord = {
      ...ours,
      fields: [
        ...ours.fields.map((field) => (field.name === 'partition' ? { ...field, type: 'int' } : field)),
        { name: 'since_dropped', type: 'string' },
      ],
    };
    const id = await register(registry.subject('dead-letters'), older);
    const codec = await registry.codec('dead-letters');
    const header = Buffer.alloc(5);
    header.writeUInt32BE(id, 1);
    const bytes = Buffer.concat([
      header,
      avroType(older).toBuffer({ ...sampleOf('dead-letters'), partition: 4, since_dropped: 'x' }),
    ]);
    await codec.prepare([{ value: bytes }]);
    expect(plain(codec.decode(bytes))).toEqual(plain({ ...sampleOf('dead-letters'), partition: 4 }));
  });

  test('change nothing at the registry as decoders', async () => {
    const registry = openRegistry();
    const bytes = Buffer.from([0, 0x7f, 0xff, 0xff, 0xff, 1]);
    await expect(registry.decoder('match-state').read(bytes)).rejects.toThrow(DecodeError);
    const subjects = await get('/subjects');
    expect(subjects).toEqual(expect.any(Array));
    expect(subjects).not.toContain(registry.subject('match-state'));
  });
});

/** Starts a proxy that requests the path of `pathOf` from the registry, or answers 503 for null. Returns its address. */
async function startProxy(registryUrl: string, pathOf: (path: string) => string | null): Promise<string> {
  return serve(async (request, response) => {
    const path = pathOf(request.url ?? '/');
    if (path === null) return void response.writeHead(503).end();
    const body = request.method === 'GET' ? null : Buffer.concat(await request.toArray());
    const answer = await fetch(`${registryUrl}${path}`, {
      method: request.method ?? 'GET',
      headers: CONTENT_TYPE,
      body,
    });
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
  });
}

describe('a registry that is down', () => {
  test('is used once it answers', async () => {
    const { registryUrl, prefix } = backbone();
    let refusals = 3;
    const url = await startProxy(registryUrl, (path) => (refusals-- > 0 ? null : path));
    await new Registry({ url, prefix }).codec('clients');
    expect(refusals).toBeLessThan(0);
  });

  test('is asked again for a schema it does not know yet, however long it was down or takes to answer', async () => {
    const { registryUrl, prefix } = backbone();
    const bytes = (await openRegistry().codec('match-state')).encode(sampleOf('match-state'));
    const now = performance.now.bind(performance);
    let ahead = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + ahead);
    onTestFinished(() => clock.mockRestore());
    const answers = [null, '/schemas/ids/2147483647'];
    const url = await startProxy(registryUrl, (path) => {
      // Each takes longer than an unknown schema is retried.
      if (answers.length > 0) ahead += 6_000;
      return answers.length > 0 ? (answers.shift() ?? null) : path;
    });
    const decoded = await new Registry({ url, prefix }).decoder('match-state').read(bytes);
    expect(plain(decoded)).toEqual(plain(sampleOf('match-state')));
    expect(answers).toEqual([]);
  });
});
