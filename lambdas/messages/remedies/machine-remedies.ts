import type { CodeRemedies } from "./remedy.ts";

const rebootThroughEc2 = {
  cause: "the machine's SSM agent does not respond, usually because its metadata route is lost",
  remedy: "reboot it through EC2, with the button or in the console; an installed guard restores the route at start-up",
};

/** Failures of commands on a machine, and of the machine itself, at any stage. */
export const machineCodes = {
  "agent-silent": rebootThroughEc2,
  "agent-broken": null,
  "command-undelivered": {
    cause: "the SSM agent did not take the command within two minutes",
    remedy: "check the instance in EC2, and its agent with `aws ssm describe-instance-information`",
  },
  "command-cancelled": rebootThroughEc2,
  "command-waits": null,
  "command-failed": null,
  "result-missing": null,
  "script-slow": {
    cause: "the script is slower than the stage's deadline",
    remedy: "raise the deadline, or check on the machine what the script is doing",
  },
  "script-failed": null,
  "powershell-restricted": {
    cause: "AppLocker, App Control or a group policy restricts PowerShell",
    remedy: "remove that policy from the image or the domain, then try again",
  },
  "aws-refuses-machine": {
    cause: "the service refused the machine's own role",
    remedy:
      "for (403 …) check the node's role and the policies of bucket, endpoint and organisation; for (404 …) deploy again",
  },
  "aws-unreachable": {
    cause: "the machine's subnet has no route to the service",
    remedy: "check the subnet's routes, endpoints and DNS",
  },
  "agent-proxied": {
    cause: "the machine reaches AWS only through a proxy, which Casement's scripts do not use",
    remedy: "give its subnet endpoints for S3 and Secrets Manager, or a route to them",
  },
  "metadata-silent": {
    cause: "the machine cannot reach the metadata service, or has no role",
    remedy: "check the instance's metadata options and its instance profile",
  },
  "clock-wrong": {
    cause: "the machine's clock is wrong, or the command came late",
    remedy: "find out why it cannot reach 169.254.169.123 (Amazon Time Sync), then try again",
  },
  "disk-full": {
    cause: "the disk is full",
    remedy: "enlarge the pool's volume, or find out what filled it",
  },
  "wmi-broken": {
    cause: "Windows Management Instrumentation is not running or is damaged",
    remedy: "terminate the machine and add another one",
  },
  "service-hangs": {
    cause: "the service hangs; Casement left it as it is",
    remedy: "read its log under `C:\\var\\log`, then try again",
  },
  "content-differs": {
    cause: "the object in the bucket differs from the manifest",
    remedy: "upload that file again and deploy",
  },
  "file-not-placed": null,
  "foreign-file": {
    cause: "another program or a person writes files where Casement would write its own",
    remedy: "find out who needs what the message names, move it away on the machine, then try again",
  },
  "foreign-variable": {
    cause: "another program or a person set a variable that Casement would set for the proxy",
    remedy: "find out who needs what the message names, remove it from the service's `Environment`, then try again",
  },
  "secret-unusable": {
    cause: "the secret lacks the field that the message names, or its value cannot be written into a file",
    remedy: "store that value again, as docs/mirrors.md says of registries",
  },
  "machine-ended": {
    cause: "the instance was stopped or terminated outside Casement",
    remedy: "search CloudTrail for the instance id to see who did it",
  },
} as const satisfies CodeRemedies;
