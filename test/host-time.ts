/**
 * Options of a test in which real seconds pass until a service is given up. A host that stops for as long fails the test
 * though the product is right, so it has a second try; `SecondTries` names each test that needed it.
 */
export const inHostTime = { retry: 1 } as const;
