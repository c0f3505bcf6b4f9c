// Waits whose truth is known (see steps.h), for locks of C++: locks CASE FILE [ROUNDS], or
// rate-CASE FILE [TIMES US].
#include "steps.h"

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <shared_mutex>

#define KEEP __attribute__((noipa))

namespace store
{

struct Pool {
	long size;
	std::mutex lock;
};

struct Mailbox {
	std::mutex lock;
	std::condition_variable arrived;
	bool is_full;
};

std::mutex big_lock;
Pool pool;
std::shared_mutex board;
Mailbox mailbox;

} // namespace store

template <class M> static int try_take(void *m)
{
	return static_cast<M *>(m)->try_lock();
}

template <class M> KEEP static void take(void *m)
{
	static_cast<M *>(m)->lock();
}

template <class M> static void let_go(void *m)
{
	static_cast<M *>(m)->unlock();
}

static int try_share(void *m)
{
	return static_cast<std::shared_mutex *>(m)->try_lock_shared();
}

KEEP static void share(void *m)
{
	static_cast<std::shared_mutex *>(m)->lock_shared();
}

// The readers' unlock_shared is the same call.
static void let_go_shared(void *m)
{
	static_cast<std::shared_mutex *>(m)->unlock_shared();
}

static int try_mail(void *)
{
	std::lock_guard<std::mutex> guard(store::mailbox.lock);
	bool was_full = store::mailbox.is_full;

	store::mailbox.is_full = false;
	return was_full;
}

KEEP static void wait_for_mail(void *)
{
	std::unique_lock<std::mutex> guard(store::mailbox.lock);

	store::mailbox.arrived.wait(guard, [] { return store::mailbox.is_full; });
	store::mailbox.is_full = false;
}

static void send_mail(void *)
{
	{
		std::lock_guard<std::mutex> guard(store::mailbox.lock);

		store::mailbox.is_full = true;
	}
	store::mailbox.arrived.notify_one();
}

static lock mutex_lock(const char *name, std::mutex *m)
{
	return { name,    "mutex", m, try_take<std::mutex>, take<std::mutex>, let_go<std::mutex>,
		 nullptr, nullptr };
}

static int run_mail(const run *r, int rounds)
{
	static const step table[] = { { 0, 0, STEP_WAIT, 0, 0 }, { 1, 5, STEP_SIGNAL, 0, 0 } };

	return run_steps(r, table, 2, rounds, 10);
}

int main(int argc, char **argv)
{
	static lock locks[MAX_LOCKS];
	run r = { argc > 2 ? argv[2] : nullptr, locks, 4, 1, nullptr };
	bool is_rate = argc > 2 && !strncmp(argv[1], "rate-", 5);
	const char *name = argc > 2 ? argv[1] + (is_rate ? 5 : 0) : "";
	int (*play)(const run *, int) = run_contended;

	if (!strcmp(name, "mutex")) {
		locks[0] = mutex_lock("store::big_lock", &store::big_lock);
		locks[1] = mutex_lock("store::pool.lock", &store::pool.lock);
	} else if (!strcmp(name, "shared_mutex")) {
		locks[0] = {
			"store::board",          "rwlock",      &store::board, try_take<std::shared_mutex>,
			take<std::shared_mutex>, let_go_shared, try_share,     share
		};
		play = run_readers;
	} else if (!strcmp(name, "condition")) {
		locks[0] = { "store::mailbox.arrived",
			     "condition",
			     nullptr,
			     try_mail,
			     wait_for_mail,
			     send_mail,
			     nullptr,
			     nullptr };
		play = run_mail;
	} else {
		fprintf(stderr, "usage: locks-cc [rate-]mutex|shared_mutex|condition FILE [NUMBER...]\n");
		return 2;
	}
	if (is_rate)
		return run_rate(&r, argc > 3 ? atoi(argv[3]) : 20000, argc > 4 ? atoi(argv[4]) : 50);
	return play(&r, argc > 3 ? atoi(argv[3]) : 25);
}
