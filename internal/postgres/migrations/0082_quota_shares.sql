-- Leases of quota_counts have replaced them.
DROP TABLE quota_shares, quota_processes;
