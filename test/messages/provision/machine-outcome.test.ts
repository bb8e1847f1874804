import { expect, test } from "vitest";
import {
  doneByOthers,
  inUse,
  kubeletIs,
  machineEndedBy,
  machineLeaves,
  machineOutcome,
  takenOut,
} from "../../../lambdas/messages/provision/machine-outcome.ts";

const BY = machineEndedBy.decision("U1");

test.for<[string, string]>([
  [kubeletIs.notStopped("w".repeat(300)), `its kubelet could not be stopped (${"w".repeat(200)})`],
  [machineLeaves.standing("i-1", "running", kubeletIs.stopped), "instance i-1 is running, its kubelet is stopped"],
  [machineLeaves.untouched("i-1"), "instance i-1 was left as is"],
  [machineLeaves.untouched(null), "no instance was launched"],
  [machineLeaves.ended("i-1", "terminated"), "instance i-1 is terminated"],
  [machineEndedBy.cancellation("U1"), "cancelled by <@U1>"],
  [BY, "terminated by <@U1>"],
  [inUse.ready("win-1"), "its Node win-1 is Ready"],
  [inUse.runsPods("win-1", 1), "its Node win-1 runs 1 pod"],
  [inUse.runsPods("win-1", 2), "its Node win-1 runs 2 pods"],
  [
    takenOut.some("web", ["subnet-1", "subnet-2"]),
    "a deployment has removed subnet-1, subnet-2 from pool web since the request, so the node is not launched there",
  ],
  [
    takenOut.everything("web", ["1", "2", "3", "4", "5", "6", "7"]),
    "a deployment has removed 1, 2, 3, 4, 5, 6 and 1 more from pool web since the request, and no subnet with an instance type remains; run the command again to use the current pool",
  ],
  [
    takenOut.changed("web", ["diskGiB", "labels"]),
    "a deployment has changed diskGiB and labels for pool web since the request, so the node is launched with the present value",
  ],
  [machineOutcome.kept("U1"), "kept for inspection by <@U1>"],
  [
    machineOutcome.keptUnjudged("U1"),
    "kept, because Casement could not check in time whether <@U1> may decide: inspect the instance, then terminate it in EC2",
  ],
  [
    machineOutcome.spared(inUse.ready("win-1")),
    "kept, because its Node win-1 is Ready: to remove it, use the remove command",
  ],
  [
    machineOutcome.notYetTerminated(doneByOthers.nodeDeleted, "i-1"),
    "the Node was deleted outside Casement, but EC2 does not report i-1 as terminated yet",
  ],
  [machineOutcome.cancelled(BY), "terminated by <@U1>; the instance is terminated"],
])("%s", ([words, expected]) => {
  expect(words).toBe(expected);
});
