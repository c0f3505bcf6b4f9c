-- Folded stacks, outermost first, for flame graphs:
--	clickhouse-client --format TSVRaw <folded.sql | flamegraph.pl >flame.svg
-- In the last 7 days; narrower: (1) conditions on service, version, container, event, minute, process, thread, (2) on host.
-- One event at a time: weights of events differ.
SELECT concat(process, if(empty(names), '', ';'), arrayStringConcat(names, ';')) AS folded, sum(weight) AS weight
FROM
(
    SELECT process, stack, sum(weight) AS weight
    FROM perf.samples
    WHERE day >= today() - 7 AND event LIKE 'cpu-clock%' -- (1)
        AND attempt GLOBAL IN
        (
            SELECT min(attempt) FROM perf.slices
            WHERE day >= today() - 7 -- (2)
            GROUP BY slice
        )
    GROUP BY process, stack
)
GLOBAL ANY LEFT JOIN
(
    SELECT stack, arrayMap(frame -> frame.2, arraySort(frame -> frame.1, groupArray((depth, function)))) AS names
    FROM
    (
        SELECT id AS stack, frame, depth
        FROM (SELECT id, any(frames) AS frames FROM perf.stacks WHERE day >= today() - 7 GROUP BY id)
        ARRAY JOIN frames AS frame, arrayEnumerate(frames) AS depth
    )
    GLOBAL ANY LEFT JOIN (SELECT id AS frame, function FROM perf.frames WHERE day >= today() - 7) USING frame
    GROUP BY stack
) USING stack
GROUP BY folded
ORDER BY folded
FORMAT TSVRaw;
