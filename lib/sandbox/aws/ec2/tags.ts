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
import type { Ec2Records, Tags } from "./records.ts";
import { checkedCount, resourceTagContext, tagList, tagsFrom } from "./tag-rules.ts";

/** A tagged resource, found by its id. */
interface Tagged {
  readonly id: string;
  readonly type: "instance" | "volume";
  readonly tags: Tags;
  put(tags: Tags): void;
}

function taggedInstance(records: Ec2Records, id: string): Tagged {
  const instance = instanceById(records, id);
  const put = (tags: Tags): void => {
    instance.tags = tags;
    records.instances.set(id, instance);
  };
  return { id, type: "instance", tags: instance.tags, put };
}

function taggedVolume(records: Ec2Records, id: string): Tagged {
  const volume = records.volumes.get(id);
  if (!volume) throw new AwsError("InvalidVolume.NotFound", `The volume '${id}' does not exist.`);
  const put = (tags: Tags): void => {
    volume.tags = tags;
    records.volumes.set(id, volume);
  };
  return { id, type: "volume", tags: volume.tags, put };
}

function tagged(records: Ec2Records, id: string): Tagged {
  if (id.startsWith("i-")) return taggedInstance(records, id);
  if (id.startsWith("vol-")) return taggedVolume(records, id);
  throw new AwsError("InvalidID", `The ID '${id}' is not valid`);
}

function permit(records: Ec2Records, caller: Caller, action: string, resources: readonly string[], tags: Tags): void {
  for (const id of resources) {
    const resource = tagged(records, id);
    const arn = ec2Arn(records.account, `${resource.type}/${id}`);
    caller.require(action, [arn], { ...resourceTagContext(resource.tags), ...requestTagContext(tags) });
  }
}

function createTags(records: Ec2Records, input: CreateTagsRequest): object {
  const tags = tagsFrom(input.Tags);
  const changed = (input.Resources ?? [])
    .map((id) => tagged(records, id))
    .map((resource) => ({ resource, tags: checkedCount({ ...resource.tags, ...tags }) }));
  for (const { resource, tags: all } of changed) resource.put(all);
  return {};
}

/**
 * Removes tags: without a value the key goes whatever its value; without tags every tag goes (API Reference,
 * DeleteTags).
 */
const without = (tags: Tags, gone: DeleteTagsRequest["Tags"]): Tags => {
  const goes = (key: string, value: string): boolean =>
    !gone?.length || gone.some((tag) => tag.Key === key && (tag.Value === undefined || tag.Value === value));
  return Object.fromEntries(Object.entries(tags).filter(([key, value]) => !goes(key, value)));
};

function deleteTags(records: Ec2Records, input: DeleteTagsRequest): object {
  for (const resource of (input.Resources ?? []).map((id) => tagged(records, id)))
    resource.put(without(resource.tags, input.Tags));
  return {};
}

const fields: FilterFields<TagDescription> = {
  "resource-id": (tag) => [tag.ResourceId],
  "resource-type": (tag) => [tag.ResourceType],
  key: (tag) => [tag.Key],
  value: (tag) => [tag.Value],
};

function allTags(records: Ec2Records): TagDescription[] {
  const of = (id: string, type: "instance" | "volume", tags: Tags): TagDescription[] =>
    tagList(tags).map((tag) => ({ ...tag, ResourceId: id, ResourceType: type }));
  return [
    ...records.instances.values().flatMap(({ instanceId, tags }) => of(instanceId, "instance", tags)),
    ...records.volumes.values().flatMap(({ volumeId, tags }) => of(volumeId, "volume", tags)),
  ];
}

const ownTag = (tag: TagDescription): Tags => ({ [tag.Key ?? ""]: tag.Value ?? "" });

function describeTags(records: Ec2Records, input: DescribeTagsRequest): DescribeTagsResult {
  const found = filtered(allTags(records), input.Filters, fields, ownTag);
  const { page, ...next } = paged(found, input, (tag) => `${tag.ResourceId} ${tag.Key}`);
  return { Tags: page, ...next };
}

/** CreateTags, DeleteTags, DescribeTags. */
export const tagActions = (records: Ec2Records): Ec2Action[] => [
  ec2Action<CreateTagsRequest, object>(CreateTags$, {
    permit: (input, caller) => permit(records, caller, "ec2:CreateTags", input.Resources ?? [], tagsFrom(input.Tags)),
    perform: (input) => createTags(records, input),
  }),
  ec2Action<DeleteTagsRequest, object>(DeleteTags$, {
    permit: (input, caller) => permit(records, caller, "ec2:DeleteTags", input.Resources ?? [], tagsFrom(input.Tags)),
    perform: (input) => deleteTags(records, input),
  }),
  ec2Action<DescribeTagsRequest, DescribeTagsResult>(DescribeTags$, {
    perform: (input) => describeTags(records, input),
  }),
];
