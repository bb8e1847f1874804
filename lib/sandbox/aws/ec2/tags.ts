import {
  CreateTags$,
  type CreateTagsRequest,
  DeleteTags$,
  type DeleteTagsRequest,
  DescribeTags$,
  type DescribeTagsRequest,
  type DescribeTagsResult,
  type TagDescription,
} from "@aws-sdk/client-ec2";
import { AwsError, type Caller } from "../../core/aws-service.ts";
import { requestTagContext } from "../request-tags.ts";
import { ec2Arn } from "./account.ts";
import { type Ec2Action, ec2Action } from "./action.ts";
import { type FilterFields, filtered, paged } from "./filters.ts";
import { instanceById } from "./find.ts";
import type { Ec2World, Tags } from "./records.ts";
import { checkedCount, resourceTagContext, tagList, tagsFrom } from "./tag-rules.ts";

/** Something that carries tags, found by its id. */
interface Tagged {
  readonly id: string;
  readonly type: "instance" | "volume";
  readonly tags: Tags;
  put(tags: Tags): void;
}

function taggedInstance(world: Ec2World, id: string): Tagged {
  const instance = instanceById(world, id);
  const put = (tags: Tags): void => {
    instance.tags = tags;
    world.instances.set(id, instance);
  };
  return { id, type: "instance", tags: instance.tags, put };
}

function taggedVolume(world: Ec2World, id: string): Tagged {
  const volume = world.volumes.get(id);
  if (!volume) throw new AwsError("InvalidVolume.NotFound", `The volume '${id}' does not exist.`);
  const put = (tags: Tags): void => {
    volume.tags = tags;
    world.volumes.set(id, volume);
  };
  return { id, type: "volume", tags: volume.tags, put };
}

function tagged(world: Ec2World, id: string): Tagged {
  if (id.startsWith("i-")) return taggedInstance(world, id);
  if (id.startsWith("vol-")) return taggedVolume(world, id);
  throw new AwsError("InvalidID", `The ID '${id}' is not valid`);
}

function permit(world: Ec2World, caller: Caller, action: string, resources: readonly string[], tags: Tags): void {
  for (const id of resources) {
    const resource = tagged(world, id);
    const arn = ec2Arn(world.account, `${resource.type}/${id}`);
    caller.require(action, [arn], { ...resourceTagContext(resource.tags), ...requestTagContext(tags) });
  }
}

function createTags(world: Ec2World, input: CreateTagsRequest): object {
  const tags = tagsFrom(input.Tags);
  const changed = (input.Resources ?? [])
    .map((id) => tagged(world, id))
    .map((resource) => ({ resource, tags: checkedCount({ ...resource.tags, ...tags }) }));
  for (const { resource, tags: all } of changed) resource.put(all);
  return {};
}

/** Without a value the key goes whatever its value; without tags every tag goes (API Reference, DeleteTags). */
const without = (tags: Tags, gone: DeleteTagsRequest["Tags"]): Tags => {
  const goes = (key: string, value: string): boolean =>
    !gone?.length || gone.some((tag) => tag.Key === key && (tag.Value === undefined || tag.Value === value));
  return Object.fromEntries(Object.entries(tags).filter(([key, value]) => !goes(key, value)));
};

function deleteTags(world: Ec2World, input: DeleteTagsRequest): object {
  for (const resource of (input.Resources ?? []).map((id) => tagged(world, id)))
    resource.put(without(resource.tags, input.Tags));
  return {};
}

const fields: FilterFields<TagDescription> = {
  "resource-id": (tag) => [tag.ResourceId],
  "resource-type": (tag) => [tag.ResourceType],
  key: (tag) => [tag.Key],
  value: (tag) => [tag.Value],
};

function allTags(world: Ec2World): TagDescription[] {
  const of = (id: string, type: "instance" | "volume", tags: Tags): TagDescription[] =>
    tagList(tags).map((tag) => ({ ...tag, ResourceId: id, ResourceType: type }));
  return [
    ...world.instances.values().flatMap(({ instanceId, tags }) => of(instanceId, "instance", tags)),
    ...world.volumes.values().flatMap(({ volumeId, tags }) => of(volumeId, "volume", tags)),
  ];
}

const ownTag = (tag: TagDescription): Tags => ({ [tag.Key ?? ""]: tag.Value ?? "" });

function describeTags(world: Ec2World, input: DescribeTagsRequest): DescribeTagsResult {
  const found = filtered(allTags(world), input.Filters, fields, ownTag);
  const { page, ...next } = paged(found, input, (tag) => `${tag.ResourceId} ${tag.Key}`);
  return { Tags: page, ...next };
}

/** CreateTags, DeleteTags, DescribeTags. */
export const tagActions = (world: Ec2World): Ec2Action[] => [
  ec2Action<CreateTagsRequest, object>(CreateTags$, {
    permit: (input, caller) => permit(world, caller, "ec2:CreateTags", input.Resources ?? [], tagsFrom(input.Tags)),
    perform: (input) => createTags(world, input),
  }),
  ec2Action<DeleteTagsRequest, object>(DeleteTags$, {
    permit: (input, caller) => permit(world, caller, "ec2:DeleteTags", input.Resources ?? [], tagsFrom(input.Tags)),
    perform: (input) => deleteTags(world, input),
  }),
  ec2Action<DescribeTagsRequest, DescribeTagsResult>(DescribeTags$, { perform: (input) => describeTags(world, input) }),
];
