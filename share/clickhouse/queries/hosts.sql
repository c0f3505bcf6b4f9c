-- Which host is different: each host's share of each function, beside the mean of all hosts. In the last 7 days;
-- narrower: (1) conditions on samples such as service = 'shop', (2) on slices.
SELECT event, function, host, weight, share, mean_share
FROM
(
    SELECT event, function, groupArray((host, weight, share)) AS of_hosts,
        sum(share) / (SELECT uniqExact(host) FROM perf.slices WHERE day >= today() - 7) AS mean_share -- (2)
    FROM
    (
        SELECT event, host, f.1 AS function, f.2 AS weight, f.2 / host_weight AS share
        FROM
        (
            SELECT event, host, sum(weight) AS host_weight, groupArray((function, weight)) AS functions
            FROM
            (
                SELECT event, host, function, sum(weight) AS weight
                FROM
                (
                    SELECT event, stack, host, sum(weight) AS weight
                    FROM perf.samples
                    GLOBAL ANY INNER JOIN
                    (
                        SELECT min(attempt) AS attempt, any(host) AS host FROM perf.slices
                        WHERE day >= today() - 7 -- (2)
                        GROUP BY slice
                    ) USING attempt
                    WHERE day >= today() - 7 -- (1)
                    GROUP BY event, stack, host
                )
                GLOBAL ANY LEFT JOIN (SELECT id AS stack, function FROM perf.stacks WHERE day >= today() - 7) USING stack
                GROUP BY event, host, function
            )
            GROUP BY event, host
        )
        ARRAY JOIN functions AS f
    )
    GROUP BY event, function
)
ARRAY JOIN of_hosts.1 AS host, of_hosts.2 AS weight, of_hosts.3 AS share
ORDER BY abs(share - mean_share) DESC, event, function, host
LIMIT 50;
