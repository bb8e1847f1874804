/**
 * Days for which the ledger keeps an operation after its end, by default: audit trails are kept for twelve months (PCI DSS
 * 4.0, 10.5.1), and the auditor comes some weeks later.
 */
export const RETENTION_DAYS = 400;
