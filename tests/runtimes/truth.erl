%% Functions of a known structure: judge.awk has it. Argument: rounds. The addition after each call keeps its caller's frame.
-module(truth).
-export([start/1, tw_cb_b/1]).
-compile(no_auto_import).

tw_leaf_a(N) -> tw_leaf_a(20000, N).
tw_leaf_a(0, S) -> S;
tw_leaf_a(I, S) -> tw_leaf_a(I - 1, (S * 31 + I) band 16#ffffff).
tw_d3_a(N) -> tw_leaf_a(N) + 1.
tw_d2_a(N) -> tw_d3_a(N) + 1.
tw_d1_a(N) -> tw_d2_a(N) + 1.
tw_leaf_b(N) -> tw_leaf_b(5000, N).
tw_leaf_b(0, S) -> S;
tw_leaf_b(I, S) -> tw_leaf_b(I - 1, (S * 31 + I) band 16#ffffff).
tw_cb_b(N) -> tw_leaf_b(N) + 1.
tw_d1_b(N) -> erlang:length(lists:map(fun truth:tw_cb_b/1, [N, N + 1, N + 2, N + 3])).
tw_leaf_c(N) -> tw_leaf_c(20000, N).
tw_leaf_c(0, S) -> S;
tw_leaf_c(I, S) -> tw_leaf_c(I - 1, (S * 31 + I) band 16#ffffff).
tw_rec_c(N, Depth) when Depth > 1 -> tw_rec_c(N, Depth - 1) + 1;
tw_rec_c(N, _) -> tw_leaf_c(N) + 1.
tw_d1_c(N) -> tw_rec_c(N, 4) + 1.
tw_main(0, Sum) -> Sum;
tw_main(I, Sum) -> tw_main(I - 1, (Sum + tw_d1_a(I) + tw_d1_b(I) + tw_d1_c(I)) band 16#ffffff).

start([Rounds]) ->
	Sum = tw_main(erlang:list_to_integer(erlang:atom_to_list(Rounds)), 0),
	io:format("sum ~p~n", [Sum]),
	erlang:halt().
