import { z } from "zod";
import { AwsError } from "../core/aws-service.ts";
import type { Simulation } from "../core/simulation.ts";
import type { Collection } from "../core/store.ts";
import type { ManagedInstances } from "./managed-instances.ts";
import { pageOf } from "./paging.ts";

/** An association of State Manager with instances, as far as it is told. */
interface Association {
  readonly id: string;
  /** Left out where its owner gave it none. */
  readonly name?: string;
  /** Name of its document. */
  readonly document: string;
  readonly instanceIds: readonly string[];
  readonly createdAt: number;
}

/** State Manager, as far as it can be read; its schedules run nothing on the machines. */
export interface Associations {
  /** Creates one, as `CreateAssociation` with explicit instance ids does. */
  create(association: Pick<Association, "name" | "document" | "instanceIds">): void;
  describe(input: z.output<typeof describeAssociationsInput>): object;
}

/** Input of DescribeInstanceAssociationsStatus: pattern and range of the API reference. */
export const describeAssociationsInput = z.strictObject({
  InstanceId: z.string().regex(/^(?:i-(?:\w{8}|\w{17})|mi-\w{17})$/),
  MaxResults: z.number().int().min(1).max(50).default(50),
  NextToken: z.string().optional(),
});

/** Opens the list of associations. An instance that is not registered is answered with InvalidInstanceId. */
export function openAssociations(simulation: Simulation, managed: ManagedInstances): Associations {
  const stored: Collection<Association> = simulation.store.collection("ssm-associations");

  const shape = (instanceId: string, { id, name, document, createdAt }: Association): object => ({
    AssociationId: id,
    ...(name ? { AssociationName: name } : {}),
    AssociationVersion: "1",
    InstanceId: instanceId,
    Name: document,
    DocumentVersion: "1",
    ExecutionDate: createdAt / 1000,
    Status: "Success",
    DetailedStatus: "Success",
  });

  return {
    create: (association) => {
      const id = simulation.random.uuid();
      stored.set(id, { ...association, id, createdAt: simulation.clock.now() });
    },
    describe: ({ InstanceId, MaxResults, NextToken }) => {
      if (!managed.get(InstanceId))
        throw new AwsError("InvalidInstanceId", `Instance ${InstanceId} is not registered.`);
      const own = stored.values().filter(({ instanceIds }) => instanceIds.includes(InstanceId));
      const { items, ...next } = pageOf(own, MaxResults, NextToken);
      return { InstanceAssociationStatusInfos: items.map((one) => shape(InstanceId, one)), ...next };
    },
  };
}
