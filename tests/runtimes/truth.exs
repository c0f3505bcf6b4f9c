# Functions of a known structure: judge.awk has it. Argument: rounds.
defmodule Truth do
  import Bitwise
  def tw_leaf_a(n), do: tw_leaf_a(20000, n)
  def tw_leaf_a(0, s), do: s
  def tw_leaf_a(i, s), do: tw_leaf_a(i - 1, (s * 31 + i) &&& 0xFFFFFF)
  def tw_d3_a(n), do: tw_leaf_a(n) + 1
  def tw_d2_a(n), do: tw_d3_a(n) + 1
  def tw_d1_a(n), do: tw_d2_a(n) + 1
  def tw_leaf_b(n), do: tw_leaf_b(5000, n)
  def tw_leaf_b(0, s), do: s
  def tw_leaf_b(i, s), do: tw_leaf_b(i - 1, (s * 31 + i) &&& 0xFFFFFF)
  def tw_cb_b(n), do: tw_leaf_b(n) + 1
  def tw_d1_b(n), do: length(Enum.map([n, n + 1, n + 2, n + 3], &Truth.tw_cb_b/1))
  def tw_leaf_c(n), do: tw_leaf_c(20000, n)
  def tw_leaf_c(0, s), do: s
  def tw_leaf_c(i, s), do: tw_leaf_c(i - 1, (s * 31 + i) &&& 0xFFFFFF)
  def tw_rec_c(n, depth) when depth > 1, do: tw_rec_c(n, depth - 1) + 1
  def tw_rec_c(n, _), do: tw_leaf_c(n) + 1
  def tw_d1_c(n), do: tw_rec_c(n, 4) + 1
  def tw_main(0, sum), do: sum
  def tw_main(i, sum), do: tw_main(i - 1, (sum + tw_d1_a(i) + tw_d1_b(i) + tw_d1_c(i)) &&& 0xFFFFFF)
end

[rounds] = System.argv()
IO.puts("sum #{Truth.tw_main(String.to_integer(rounds), 0)}")
