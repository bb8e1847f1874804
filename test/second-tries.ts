import type { TestCase, TestModule } from "vitest/node";

const isFlaky = (test: TestCase): boolean => test.diagnostic()?.flaky === true;

const nameOf = (test: TestCase): string => `${test.module.relativeModuleId}: ${test.fullName}`;

/** Names each test that failed at first and passed when it was tried again, so that a flaky test is seen though the lane is green. */
export class SecondTries {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const flaky = modules.flatMap((module) => [...module.children.allTests("passed")]).filter(isFlaky);
    for (const test of flaky) process.stdout.write(`passed on the second try: ${nameOf(test)}\n`);
  }
}
