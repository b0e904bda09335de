/**
 * Who may import whom: `npm run imports` (CONTRIBUTING.md). Imports of types count too, unless a rule says otherwise.
 * `@swc/core` parses: TypeScript 7 has no interface for programs.
 */

const TESTS = '(\\.test\\.ts$|\\.fixture\\.ts$|/testing/|^test/)';
/** What the domain stands on: the types of records, what is known of soccer and of statuses, JSON, errors. */
const FOUNDATION = '^libs/(records|soccer|json|errors|trading)/';

/** What serves matches, from the topics to the page; each imports only what stands before it. */
const ORDER = [
  '^libs/views/records\\.ts$',
  '^libs/views/store/',
  '^libs/views/queries/',
  '^libs/views/render/',
  '^libs/story/',
  '^services/api/board/',
];

const error = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

export default {
  forbidden: [
    error('resolves', 'what cannot be resolved cannot be judged', {}, { couldNotResolve: true }),
    error('no-cycles', 'a cycle has no order to read it in', {}, { circular: true }),
    error(
      'libs-alone',
      'libraries do not know who uses them',
      { path: '^libs/' },
      { path: '^(services|cli|bench|bin)/' },
    ),
    error(
      'services-apart',
      'services meet on topics only',
      { path: '^services/([^/]+)/', pathNot: TESTS },
      { path: '^services/', pathNot: '^services/$1/' },
    ),
    error(
      'services-started',
      'a command starts a service and reads its settings; what both need is a library. The demo also knows what the simulator plays',
      { path: '^(cli|bin)/', pathNot: TESTS },
      {
        path: '^services/',
        pathNot: ['^services/[^/]+/(service|config|main)\\.ts$', '^services/simulator/'],
      },
    ),
    error(
      'domain-pure',
      'the laws know no I/O, and stand below all that has some: not even a type of it',
      { path: '^libs/domain/', pathNot: TESTS },
      { pathNot: ['^libs/domain/', FOUNDATION, '^(node:)?(crypto|util)$', 'node_modules/zod/'] },
    ),
    error(
      'foundation-low',
      'types of records, facts of soccer and JSON are below the domain',
      { path: '^libs/(records|soccer|json)/', pathNot: TESTS },
      { pathNot: ['^libs/(records|soccer|json|errors)/', 'node_modules/zod/'] },
    ),
    error(
      'reader-alone',
      'a package of its own, for readers that have nothing else of this tree',
      { path: '^libs/reader/', pathNot: TESTS },
      { pathNot: '^(libs/(reader|trading)/|node_modules/@platformatic/kafka/|(node:)?crypto$)' },
    ),
    error(
      'laws-alone',
      'a package of its own, for programs that embed the laws',
      { path: '^libs/laws/', pathNot: [TESTS, '^libs/laws/build\\.js$'] },
      { pathNot: '^libs/(laws|domain|trading|records)/' },
    ),
    error(
      'trading-alone',
      'the rule of what may be traded runs in browsers and in the package for readers: it has nothing else of this tree',
      { path: '^libs/trading/', pathNot: TESTS },
      { pathNot: '^libs/trading/' },
    ),
    error(
      'kafka-behind-port',
      'a Kafka client is known to its folder in libs/streams/client alone',
      { path: '^(libs|services|cli|data)/', pathNot: ['^libs/(streams/client|reader)/', TESTS] },
      { path: ['node_modules/kafkajs/', 'node_modules/@platformatic/kafka/'] },
    ),
    error(
      'client-below-streams',
      'the client is what the streams run on: it knows neither tasks nor readers nor publishers',
      { path: '^libs/streams/client/', pathNot: TESTS },
      { path: '^libs/streams/(runtime|read|publish)/' },
    ),
    error(
      'streams-below-topics',
      'the streams run processors of any topics: libs/topics knows ours, and stands above them',
      { path: '^libs/streams/', pathNot: TESTS },
      { path: '^libs/topics/' },
    ),
    error(
      'processors-below-views',
      'processors write the topics: what reads them, renders a match or posts it to a client stands above',
      { path: '^libs/processors/', pathNot: TESTS },
      { path: '^libs/(views|story|webhooks|outbound)/' },
    ),
    error(
      'requests-of-kafka',
      'who sends requests of its own: the client, and what asks and administers a cluster',
      {
        path: '^(libs|services|cli|data)/',
        pathNot: ['^libs/(streams/client|cluster)/', TESTS],
      },
      { path: '^libs/streams/client/platformatic/library\\.ts$' },
    ),
    error(
      'traces-lazily',
      'OpenTelemetry costs memory and time at a start: only libs/tracing/otel.ts imports it, which is loaded where traces are on',
      { path: '^(libs|services|cli|data)/', pathNot: ['^libs/tracing/otel\\.ts$', TESTS] },
      { path: 'node_modules/@opentelemetry/' },
    ),
    error(
      'traces-loaded',
      'otel.ts is loaded by an import() alone',
      { path: '^(libs|services|cli|data)/', pathNot: TESTS },
      { path: '^libs/tracing/otel\\.ts$', dependencyTypesNot: ['dynamic-import'] },
    ),
    error(
      'tests-outside',
      'production code does not import tests',
      { path: '^(libs|services|cli|data|bin)/', pathNot: TESTS },
      { path: [TESTS, 'node_modules/(vitest|fast-check)/'] },
    ),
    ...ORDER.slice(0, -1).map((path, place) =>
      error(
        `views-order-${place + 1}`,
        'records, store, queries, render, story, board: each imports only what stands before it',
        { path, pathNot: TESTS },
        { path: ORDER.slice(place + 1) },
      ),
    ),
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    // Has a tsconfig of its own: it runs in a browser.
    exclude: { path: '^services/api/(board|docs)/browser/' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.js', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'types', 'default'],
      mainFields: ['main', 'types'],
    },
  },
};
