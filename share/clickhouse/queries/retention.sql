-- Days that are older than 30 days, as the commands that drop them. Look at them, then run them:
--	clickhouse-client <retention.sql | clickhouse-client --multiquery
-- On several nodes: on each of them, with perf_node in place of perf.
SELECT DISTINCT concat('ALTER TABLE ', database, '.', table, ' DROP PARTITION ''', partition, ''';')
FROM system.parts
WHERE database = 'perf' AND table IN ('samples', 'slices', 'stacks', 'frames', 'minutes', 'batches')
    AND active AND max_date < today() - 30
ORDER BY database, table, partition
FORMAT TSVRaw;
