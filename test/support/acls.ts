import kafkajs, { type AclEntry, type Admin } from 'kafkajs';
import { createKafka } from '#streams/client/kafkajs/kafka.ts';
import type { Right, ServiceName } from '#topics/acls.ts';
import { quietLog } from './log.ts';

const { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } = kafkajs;
const RESOURCES = {
  Topic: AclResourceTypes.TOPIC,
  Group: AclResourceTypes.GROUP,
  TransactionalId: AclResourceTypes.TRANSACTIONAL_ID,
};

/** Grants a service rights; `brokers` are addresses whose connections may do that. */
export async function grant(
  brokers: readonly string[],
  service: ServiceName,
  rights: readonly Right[],
): Promise<void> {
  await withAdmin(brokers, (admin) =>
    admin.createAcls({ acl: rights.map((right) => entryOf(service, right)) }),
  );
}

/** Takes a right away while `work` runs. */
export async function without(
  brokers: readonly string[],
  service: ServiceName,
  right: Right,
  work: () => Promise<void>,
): Promise<void> {
  await withAdmin(brokers, (admin) => admin.deleteAcls({ filters: [entryOf(service, right)] }));
  await work();
  await grant(brokers, service, [right]);
}

function entryOf(service: ServiceName, { operation, resource, name, pattern }: Right): AclEntry {
  return {
    ...{ principal: `User:${service}`, host: '*', permissionType: AclPermissionTypes.ALLOW },
    operation: operation === 'Read' ? AclOperationTypes.READ : AclOperationTypes.WRITE,
    resourceType: RESOURCES[resource],
    resourceName: name,
    resourcePatternType: pattern === 'Literal' ? ResourcePatternTypes.LITERAL : ResourcePatternTypes.PREFIXED,
  };
}

async function withAdmin<T>(brokers: readonly string[], work: (admin: Admin) => Promise<T>): Promise<T> {
  const admin = createKafka({ brokers, clientId: 'test-acls', log: quietLog }).admin();
  await admin.connect();
  return work(admin).finally(() => admin.disconnect());
}
