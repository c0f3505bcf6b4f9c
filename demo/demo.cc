// The program that `make demo` records: about a second of CPU time in three kinds of threads
// (a sandpile in a shared library, sorting, a recursive walk), with call stacks up to 40 deep.
// The amount of work can be given: demo 3 does three times as much. Prints a checksum.
#include "grains.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <pthread.h>
#include <string>
#include <thread>
#include <vector>

static uint64_t results[4];

static void run_sandpile(int work)
{
	grains::Pile pile(64);

	for (int i = 0; i < work * 12; i++)
		pile.drop(i + 1, 4000);
	results[0] = pile.topples();
}

static void run_sort(int work)
{
	uint64_t sum = 0, seed = 7;

	for (int i = 0; i < work * 15; i++) {
		std::vector<uint64_t> v(20000);
		for (auto &x : v)
			x = seed = grains::scramble(seed + 1);
		std::sort(v.begin(), v.end(), [](uint64_t a, uint64_t b) { return (a >> 8) < (b >> 8); });
		sum += v[v.size() / 2];
	}
	results[1] = sum;
}

struct Node {
	Node *left = nullptr, *right = nullptr;
	uint64_t key = 0;
};

__attribute__((noinline)) static void insert(Node **at, Node *node)
{
	if (!*at)
		*at = node;
	else
		insert(node->key < (*at)->key ? &(*at)->left : &(*at)->right, node);
	asm volatile(""); // no tail call: each level keeps its frame
}

__attribute__((noinline)) static uint64_t walk(const Node *node, uint64_t depth)
{
	if (!node)
		return depth;
	return walk(node->left, depth + 1) + walk(node->right, depth + 1) + node->key % 3;
}

static void run_tree(int work)
{
	std::vector<Node> nodes(20000);
	Node *root = nullptr;
	uint64_t seed = 11, sum = 0;

	for (auto &n : nodes) {
		n.key = seed = grains::scramble(seed + 1);
		insert(&root, &n);
	}
	for (int i = 0; i < work * 250; i++)
		sum += walk(root, 0);
	results[2] = sum;
}

static void run_words(int work)
{
	std::map<std::string, int> words;
	uint64_t seed = 3;

	for (int i = 0; i < work * 100000; i++) {
		seed = grains::scramble(seed + 1);
		words["word-" + std::to_string(seed % 5000)]++;
	}
	for (auto &w : words)
		results[3] += w.first.size() * w.second;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(int);
	} jobs[] = { { "sandpile", run_sandpile }, { "sort", run_sort }, { "tree", run_tree } };
	int work = argc > 1 ? atoi(argv[1]) : 10;
	std::vector<std::thread> threads;

	for (auto &job : jobs)
		threads.emplace_back([&job, work] {
			pthread_setname_np(pthread_self(), job.name);
			job.run(work);
		});
	run_words(work);
	for (auto &t : threads)
		t.join();
	std::printf("%llx\n", (unsigned long long)(results[0] ^ results[1] ^ results[2] ^ results[3]));
	return 0;
}
