import { afterAll, beforeAll, describe } from "vitest";
import { type Containerd, startContainerd } from "./containerd.ts";
import { installed, obstacle, releases } from "./releases.ts";
import { squidRoot } from "./squid-package.ts";

/** A release under test. */
export interface Tested {
  /** Such as 1.7.24. */
  readonly version: string;
  /** The running containerd, from the first test on. */
  containerd(): Containerd;
}

/**
 * Declares tests for every containerd of the lane; they are skipped where it could not be installed.
 * @param hosts names that resolve in its namespace
 */
export function describeEach(hosts: readonly string[], declare: (tested: Tested) => void): void {
  describe.each(releases)("containerd $version of Debian's $suite", (release) => {
    const found = obstacle() ? undefined : installed(release);
    describe.skipIf(!found)(`pulls by ${found?.version ?? "none"}`, () => {
      const { program = "", version = "" } = found ?? {};
      let running: Containerd;
      beforeAll(async () => {
        const squid = squidRoot();
        running = await startContainerd({ program, version, hosts, ...(squid ? { squid } : {}) });
      });
      afterAll(() => running?.close());
      declare({ version, containerd: () => running });
    });
  });
}
