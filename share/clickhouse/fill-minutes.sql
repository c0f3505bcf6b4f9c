-- Add the slices that are new, 20,000 at most, to the table per minute; run it every minute, on one node, one at a time:
--	flock /run/lock/perf-fill clickhouse-client --multiquery <fill-minutes.sql
-- A run that is killed leaves a batch that does not count; the next run takes its slices again.
SET insert_distributed_sync = 1;

-- Slices that were pushed more than a week before the run are not looked for: after a longer pause, change the 7.
INSERT INTO perf.batches (day, batch, slice, attempt, start, end)
SELECT of_day, (SELECT max(batch) + 1 FROM perf.batches), slice, of_attempt, of_start,
    of_start + intDiv(of_duration, 1000000000) + 1
FROM
(
    SELECT slice, min(attempt) AS of_attempt, any(day) AS of_day, any(start) AS of_start, any(duration) AS of_duration
    FROM perf.slices
    WHERE pushed > now() - 7 * 86400
    GROUP BY slice
)
WHERE slice GLOBAL NOT IN
(
    SELECT slice FROM perf.batches WHERE batch GLOBAL IN (SELECT batch FROM perf.filled)
)
ORDER BY of_start
LIMIT 20000;

INSERT INTO perf.minutes (day, service, event, minute, function, binary, version, batch, weight, samples)
SELECT day, service, event, minute, function, binary, version,
    (SELECT max(batch) FROM perf.batches), sum(weight), sum(samples)
FROM
(
    SELECT day, service, event, minute, stack, version, sum(weight) AS weight, sum(samples) AS samples
    FROM perf.samples
    WHERE attempt GLOBAL IN
        (
            SELECT attempt FROM perf.batches
            WHERE batch = (SELECT max(batch) FROM perf.batches) AND batch GLOBAL NOT IN (SELECT batch FROM perf.filled)
        )
        AND day GLOBAL IN (SELECT day FROM perf.batches WHERE batch = (SELECT max(batch) FROM perf.batches))
        AND minute >= (SELECT min(start) - 60 FROM perf.batches WHERE batch = (SELECT max(batch) FROM perf.batches))
        AND minute <= (SELECT max(end) FROM perf.batches WHERE batch = (SELECT max(batch) FROM perf.batches))
    GROUP BY day, service, event, minute, stack, version
)
GLOBAL ANY LEFT JOIN
(
    SELECT id AS stack, function, binary FROM perf.stacks
    WHERE day GLOBAL IN (SELECT day FROM perf.batches WHERE batch = (SELECT max(batch) FROM perf.batches))
) USING stack
GROUP BY day, service, event, minute, function, binary, version;

INSERT INTO perf.filled (batch) SELECT max(batch) FROM perf.batches;
