import fc from "fast-check";
import { expect, it } from "vitest";
import { type NodeTraits, sharedTraitsOf, traitNames } from "../../lambdas/health/node-traits.ts";

const value = fc.constantFrom("a", "b", null);
const time = fc.constantFrom("2026-11-26T01:00:00.000Z", "2026-11-26T02:00:00.000Z", null);
const traits: fc.Arbitrary<NodeTraits> = fc.record({
  ...{ pool: value, zone: value, subnet: value, image: value, update: value, type: value },
  startedAt: time,
});
const nodes = fc.array(traits, { maxLength: 6 });

it("every shared trait is known, each failing node has it, and each working node is known to have another", () => {
  fc.assert(
    fc.property(nodes, nodes, (failing, working) => {
      for (const { trait, value } of sharedTraitsOf(failing, working).values) {
        expect(failing.every((one) => one[trait] === value)).toBe(true);
        expect(working.every((one) => one[trait] !== null && one[trait] !== value)).toBe(true);
      }
    }),
  );
});

it("every trait that parts the failing nodes from the working ones is named, in the order of the list", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.constantFrom(...traitNames), { minLength: 1 }), (parting) => {
      const of = (mark: string): NodeTraits => ({
        ...{ pool: "p", zone: "z", subnet: "s", image: "i", update: "u", type: "t", startedAt: null },
        ...Object.fromEntries(parting.map((trait) => [trait, mark])),
      });
      const { values } = sharedTraitsOf([of("bad"), of("bad")], [of("good"), of("other")]);
      expect(values.map(({ trait }) => trait)).toEqual(traitNames.filter((trait) => parting.includes(trait)));
    }),
  );
});

it("the order of the nodes changes nothing", () => {
  fc.assert(
    fc.property(nodes, nodes, (failing, working) => {
      expect(sharedTraitsOf(failing.toReversed(), working.toReversed())).toEqual(sharedTraitsOf(failing, working));
    }),
  );
});

it("one failing node, or no working one, shares nothing", () => {
  fc.assert(
    fc.property(nodes, traits, (some, one) => {
      const nothing = { values: [], startedSince: null };
      expect([sharedTraitsOf([one], some), sharedTraitsOf(some, [])]).toEqual([nothing, nothing]);
    }),
  );
});

it("a common start is named only if every failing node started after each working one", () => {
  fc.assert(
    fc.property(nodes, nodes, (failing, working) => {
      const { startedSince } = sharedTraitsOf(failing, working);
      if (startedSince === null) return;
      expect(failing.every(({ startedAt }) => startedAt !== null && startedAt >= startedSince)).toBe(true);
      expect(working.every(({ startedAt }) => startedAt !== null && startedAt < startedSince)).toBe(true);
    }),
  );
});
