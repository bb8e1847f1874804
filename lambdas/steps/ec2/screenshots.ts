import { GetConsoleScreenshotCommand } from "@aws-sdk/client-ec2";
import { GetObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { SCREENSHOT_LINK_MS } from "../../records/late-reboot.ts";
import { within } from "../../time-limit.ts";
import type { StepContext } from "../context.ts";

/** Milliseconds for the three calls together: they run in a poll, which other polls wait for. */
const PATIENCE_MS = 15_000;

/** Takes screenshots of machines' consoles. */
export const screenshots = ({ clients: { ec2, s3 }, settings: { bucket } }: StepContext) => {
  async function picture(instanceId: string): Promise<Buffer> {
    // WakeUp is not set: it presses a key, which Windows may take as an answer ("To skip disk checking, press any
    // key").
    const { ImageData } = await ec2.send(new GetConsoleScreenshotCommand({ InstanceId: instanceId }));
    if (!ImageData) throw new Error(`EC2 answered without a screenshot of ${instanceId}`);
    return Buffer.from(ImageData, "base64");
  }

  async function take(instanceId: string, key: string): Promise<string> {
    const Body = await picture(instanceId);
    const { VersionId } = await s3.send(
      new PutObjectCommand({ Bucket: bucket, Key: key, Body, ContentType: "image/jpeg" }),
    );
    if (!VersionId) throw new Error(`the bucket ${bucket} keeps no versions`);
    const expiresIn = SCREENSHOT_LINK_MS / 1000;
    return getSignedUrl(s3, new GetObjectCommand({ Bucket: bucket, Key: key, VersionId }), { expiresIn });
  }

  return {
    /**
     * Takes a screenshot of an instance's console without a key press, and stores it in the bucket.
     * @param key of the new object, under `screenshots/`
     * @returns a presigned URL: anyone who has it can see the picture for an hour, or until the role's credentials
     * expire
     * @throws the refusal of EC2 or S3; NoAnswer after 15 s
     */
    take: (instanceId: string, key: string): Promise<string> => within(PATIENCE_MS, take(instanceId, key)),
  };
};
