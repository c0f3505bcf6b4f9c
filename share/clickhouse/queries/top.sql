-- Functions that cost most over the fleet, in the last 7 days: all samples.
-- Narrower: add conditions such as service = 'shop', version = '4.2', process = 'server' at (1), host = 'web1' at (2). The number made of event and stack groups twice as fast as the two.
SELECT of_event AS event, function, binary, sum(of_weight) AS weight, sum(of_samples) AS samples
FROM
(
    SELECT any(event) AS of_event, any(stack) AS of_stack, sum(weight) AS of_weight, sum(samples) AS of_samples
    FROM perf.samples
    WHERE day >= today() - 7 -- (1)
        AND attempt GLOBAL IN
        (
            SELECT min(attempt) FROM perf.slices
            WHERE day >= today() - 7 -- (2)
            GROUP BY slice
        )
    GROUP BY bitXor(stack, cityHash64(event))
)
GLOBAL ANY LEFT JOIN (SELECT id AS of_stack, function, binary FROM perf.stacks WHERE day >= today() - 7) USING of_stack
GROUP BY event, function, binary
ORDER BY weight DESC, function, binary
LIMIT 50;
