import { GetObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { NO_NODE_CHANGED } from "../errors.ts";
import type { Input, InputContent } from "../inputs/input.ts";
import type { StepContext } from "./context.ts";

const keyOf = (input: Input, identity: string): string => `inputs/${input.name}/${identity}.json`;

/** Keeps the contents of inputs in the bucket, so that a machine can get back what it had. */
export const inputStore = (context: StepContext) => {
  const { clients, settings } = context;
  const Bucket = settings.bucket;

  return {
    /** Stores a content under its identity. */
    put: async (input: Input, content: InputContent): Promise<void> => {
      const Key = keyOf(input, content.sha256);
      const Body = JSON.stringify(content);
      await clients.s3.send(new PutObjectCommand({ Bucket, Key, Body, ContentType: "application/json" }));
    },

    /**
     * Reads a stored content.
     * @throws Error if the bucket has another content under this identity: it was written by others
     */
    get: async (input: Input, identity: string): Promise<InputContent> => {
      const Key = keyOf(input, identity);
      const answer = await clients.s3.send(new GetObjectCommand({ Bucket, Key }));
      const content = JSON.parse((await answer.Body?.transformToString()) ?? "null") as InputContent;
      if (input.identityOf(content.files, content.held) !== identity)
        throw new Error(`s3://${Bucket}/${Key} has another content than its name says, ${NO_NODE_CHANGED}`);
      return content;
    },
  };
};
