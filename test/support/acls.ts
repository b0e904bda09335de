import kafkajs, { type AclEntry } from 'kafkajs';
import type { Right } from '#topics/acls.ts';
import { withKafkaAdmin } from './kafkajs.ts';

const { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } = kafkajs;
const RESOURCES = {
  Topic: AclResourceTypes.TOPIC,
  Group: AclResourceTypes.GROUP,
  TransactionalId: AclResourceTypes.TRANSACTIONAL_ID,
};

/** Grants rights to a user. `brokers` must be addresses whose connections may change access control lists. */
export async function grant(
  brokers: readonly string[],
  user: string,
  rights: readonly Right[],
): Promise<void> {
  await withKafkaAdmin(brokers, (admin) =>
    admin.createAcls({ acl: rights.map((right) => entryOf(user, right)) }),
  );
}

/** Runs `work` while the user lacks a right. */
export async function without(
  brokers: readonly string[],
  user: string,
  right: Right,
  work: () => Promise<void>,
): Promise<void> {
  await withKafkaAdmin(brokers, (admin) => admin.deleteAcls({ filters: [entryOf(user, right)] }));
  await work();
  await grant(brokers, user, [right]);
}

function entryOf(user: string, { operation, resource, name, pattern }: Right): AclEntry {
  return {
    principal: `User:${user}`,
    host: '*',
    permissionType: AclPermissionTypes.ALLOW,
    operation: operation === 'Read' ? AclOperationTypes.READ : AclOperationTypes.WRITE,
    resourceType: RESOURCES[resource],
    resourceName: name,
    resourcePatternType: pattern === 'Literal' ? ResourcePatternTypes.LITERAL : ResourcePatternTypes.PREFIXED,
  };
}
