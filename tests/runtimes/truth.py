# Functions of a known structure: judge.awk has it. Argument: rounds.
import sys


def tw_leaf_a(n):
    for i in range(2000):
        n = (n * 31 + i) & 0xFFFFFF
    return n


def tw_d3_a(n):
    n = tw_leaf_a(n)
    for i in range(100):
        n = (n + i) & 0xFFFFFF
    return n


def tw_d2_a(n):
    n = tw_d3_a(n)
    for i in range(100):
        n = (n + i) & 0xFFFFFF
    return n


def tw_d1_a(n):
    return tw_d2_a(n) + 1


def tw_leaf_b(n):
    for i in range(500):
        n = (n * 31 + i) & 0xFFFFFF
    return n


def tw_cb_b(n):
    return tw_leaf_b(n) + 1


def tw_d1_b(n):
    return len(sorted([n, n + 1, n + 2, n + 3], key=tw_cb_b))


def tw_leaf_c(n):
    for i in range(2000):
        n = (n * 31 + i) & 0xFFFFFF
    return n


def tw_rec_c(n, depth):
    return tw_rec_c(n, depth - 1) + 1 if depth > 1 else tw_leaf_c(n) + 1


def tw_d1_c(n):
    return tw_rec_c(n, 4) + 1


def tw_main(rounds):
    total = 0
    for i in range(rounds):
        total = (total + tw_d1_a(i) + tw_d1_b(i) + tw_d1_c(i)) & 0xFFFFFF
    return total


print("sum", tw_main(int(sys.argv[1])))
