import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Statement } from "../permissions.ts";

/** A statement of the reviewed list as IAM takes it. */
export const allow = ({ sid, actions, resources, conditions }: Statement): PolicyStatement =>
  new PolicyStatement({
    sid,
    actions: [...actions],
    resources: [...resources],
    ...(conditions ? { conditions } : {}),
  });
