-- What versions changed: the weight of each function in each version, and its share of all of that version. In the last
-- 7 days; narrower: (1) conditions on samples such as service = 'shop' AND version IN ('4.1', '4.2'), (2) on slices such as host.
SELECT event, f.1 AS function, f.2 AS binary, version, f.3 AS weight, f.3 / version_weight AS share
FROM
(
    SELECT event, version, sum(weight) AS version_weight, groupArray((function, binary, weight)) AS functions
    FROM
    (
        SELECT event, version, function, binary, sum(weight) AS weight
        FROM
        (
            SELECT event, stack, version, sum(weight) AS weight
            FROM perf.samples
            WHERE day >= today() - 7 -- (1)
                AND attempt GLOBAL IN
                (
                    SELECT min(attempt) FROM perf.slices
                    WHERE day >= today() - 7 -- (2)
                    GROUP BY slice
                )
            GROUP BY event, stack, version
        )
        GLOBAL ANY LEFT JOIN
        (
            SELECT id AS stack, function, binary FROM perf.stacks WHERE day >= today() - 7
        ) USING stack
        GROUP BY event, version, function, binary
    )
    GROUP BY event, version
)
ARRAY JOIN functions AS f
ORDER BY event, function, binary, version;
