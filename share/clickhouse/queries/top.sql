-- Functions that cost most over the fleet, in the last 7 days: all samples.
-- Narrower: add conditions such as service = 'shop', event = 'cpu-clock', process = 'server' at (1), host = 'web1'
-- or version = '4.2' at (2).
SELECT event, function, binary, sum(weight) AS weight, sum(samples) AS samples
FROM
(
    SELECT event, stack, sum(weight) AS weight, sum(samples) AS samples
    FROM perf.samples
    WHERE day >= today() - 7 -- (1)
        AND attempt GLOBAL IN
        (
            SELECT min(attempt) FROM perf.slices
            WHERE day >= today() - 7 -- (2)
            GROUP BY slice
        )
    GROUP BY event, stack
)
GLOBAL ANY LEFT JOIN (SELECT id AS stack, function, binary FROM perf.stacks WHERE day >= today() - 7) USING stack
GROUP BY event, function, binary
ORDER BY weight DESC, function, binary
LIMIT 50;
