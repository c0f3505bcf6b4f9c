<?php
// Functions of a known structure: judge.awk has it. Argument: rounds.
function tw_leaf_a(int $n): int { for ($i = 0; $i < 20000; $i++) $n = ($n * 31 + $i) & 0xffffff; return $n; }
function tw_d3_a(int $n): int { $n = tw_leaf_a($n); for ($i = 0; $i < 1000; $i++) $n = ($n + $i) & 0xffffff; return $n; }
function tw_d2_a(int $n): int { $n = tw_d3_a($n); for ($i = 0; $i < 1000; $i++) $n = ($n + $i) & 0xffffff; return $n; }
function tw_d1_a(int $n): int { return tw_d2_a($n) + 1; }
function tw_leaf_b(int $n): int { for ($i = 0; $i < 5000; $i++) $n = ($n * 31 + $i) & 0xffffff; return $n; }
function tw_cb_b(int $n): int { return tw_leaf_b($n) + 1; }
function tw_d1_b(int $n): int { return count(array_map('tw_cb_b', [$n, $n + 1, $n + 2, $n + 3])); }
function tw_leaf_c(int $n): int { for ($i = 0; $i < 20000; $i++) $n = ($n * 31 + $i) & 0xffffff; return $n; }
function tw_rec_c(int $n, int $depth): int { return $depth > 1 ? tw_rec_c($n, $depth - 1) + 1 : tw_leaf_c($n) + 1; }
function tw_d1_c(int $n): int { return tw_rec_c($n, 4) + 1; }
function tw_main(int $rounds): int {
	$sum = 0;
	for ($i = 0; $i < $rounds; $i++) $sum = ($sum + tw_d1_a($i) + tw_d1_b($i) + tw_d1_c($i)) & 0xffffff;
	return $sum;
}
echo 'sum ', tw_main((int)$argv[1]), "\n";
