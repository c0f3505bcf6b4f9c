// Functions of a known structure: judge.awk has it. Argument: rounds.
let sink = 0
function tw_leaf_a(n) { let s = n; for (let i = 0; i < 20000; i++) s = (s * 31 + i) & 0xffffff; return s }
function tw_d3_a(n) { let s = tw_leaf_a(n); for (let i = 0; i < 1000; i++) s = (s + i) & 0xffffff; return s }
function tw_d2_a(n) { let s = tw_d3_a(n); for (let i = 0; i < 1000; i++) s = (s + i) & 0xffffff; return s }
function tw_d1_a(n) { return tw_d2_a(n) + 1 }
function tw_leaf_b(n) { let s = n; for (let i = 0; i < 5000; i++) s = (s * 31 + i) & 0xffffff; return s }
function tw_cb_b(n) { return tw_leaf_b(n) + 1 }
function tw_d1_b(n) { return [n, n + 1, n + 2, n + 3].map(tw_cb_b).length }
function tw_leaf_c(n) { let s = n; for (let i = 0; i < 20000; i++) s = (s * 31 + i) & 0xffffff; return s }
function tw_rec_c(n, depth) { return depth > 1 ? tw_rec_c(n, depth - 1) + 1 : tw_leaf_c(n) + 1 }
function tw_d1_c(n) { return tw_rec_c(n, 4) + 1 }
function tw_main(rounds) {
	for (let i = 0; i < rounds; i++) sink = (sink + tw_d1_a(i) + tw_d1_b(i) + tw_d1_c(i)) & 0xffffff
}
tw_main(+process.argv[2])
console.log('sum ' + sink)
