/** The items that stand directly before each item in one of the lists. */
function predecessorsIn(lists: readonly (readonly string[])[]): ReadonlyMap<string, Set<string>> {
  const before = new Map<string, Set<string>>();
  for (const list of lists)
    for (const [index, item] of list.entries()) {
      const predecessors = before.get(item) ?? new Set();
      const last = list[index - 1];
      if (last !== undefined) predecessors.add(last);
      before.set(item, predecessors);
    }
  return before;
}

/**
 * Merges lists of mirrors into one that keeps the order of each: a, b and b, c make a, b, c. It is the order in which
 * the cluster's Linux nodes ask (runtime-utils, topoGraph): the order of objects and of their lines has no influence,
 * ties are broken by name, and so is a cycle (a, b and b, a), for which openshift/api specifies no order.
 */
export function mergedOrder(lists: readonly (readonly string[])[]): readonly string[] {
  const before = predecessorsIn(lists);
  const names = [...before.keys()].toSorted();
  const isReady = (name: string): boolean => before.get(name)?.size === 0;
  const ready = names.filter(isReady);
  const order = new Set<string>();
  while (order.size < names.length) {
    const next = ready.shift() ?? names.find((name) => !order.has(name));
    if (next === undefined) break;
    order.add(next);
    const followers = names.filter((name) => before.get(name)?.delete(next));
    ready.push(...followers.filter(isReady));
  }
  return [...order];
}
