/*
 * C++ as it is written: templates, virtual calls, exceptions that pass many frames, threads. templates [MS]
 */
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using clock_type = std::chrono::steady_clock;
static clock_type::time_point until;
static volatile unsigned long sink;

struct shape {
	virtual ~shape() = default;
	virtual double area(int depth) const = 0;
};

template <int N> struct polygon : shape {
	std::unique_ptr<shape> inner;
	explicit polygon(std::unique_ptr<shape> s) : inner(std::move(s))
	{
	}
	double area(int depth) const override
	{
		std::string text(size_t(depth % 50), 'x');
		double sum = inner ? inner->area(depth + N) : 0;

		for (int i = 0; i < 200; i++)
			sum += double(i * N % 7) / (1 + text.size());
		if (depth > 20 && sum > 1e9)
			throw std::runtime_error(text);
		return sum;
	}
};

template <typename T> [[gnu::noinline]] static T falls(T depth)
{
	std::vector<T> held(size_t(depth) + 3, depth);

	if (depth == 0)
		throw std::out_of_range("bottom");
	return falls<T>(depth - 1) + held.back();
}

static void exceptions()
{
	try {
		sink = sink + falls<unsigned long>(15);
	} catch (const std::exception &e) {
		sink = sink + std::string(e.what()).size();
	}
	try {
		std::rethrow_exception(std::make_exception_ptr(std::string("again")));
	} catch (const std::string &s) {
		sink = sink + s.size();
	}
}

static void containers()
{
	std::map<std::string, std::vector<int>> m;

	for (int i = 0; i < 300; i++)
		m[std::to_string(i * 7919 % 101)].push_back(i);
	for (auto &[key, v] : m)
		std::sort(v.begin(), v.end(),
			  [&](int a, int b) { return a % 7 != b % 7 ? a % 7 < b % 7 : a > b; });
	std::ostringstream out;
	for (auto &[key, v] : m)
		out << key << ' ' << v.size() << ' ' << 0.5 * double(v.size()) << '\n';
	sink = sink + out.str().size();
}

static void functions()
{
	std::function<int(int)> f = [](int x) { return x + 1; };

	for (int i = 0; i < 20; i++)
		f = [f, i](int x) { return f(x) * 3 + i; };
	sink = sink + unsigned(f(3));
	sink = sink + std::regex_match("aaabbbcccddd", std::regex("(a|b)*(c+)(d*)"));
}

static void run()
{
	std::unique_ptr<shape> s = std::make_unique<polygon<5>>(
		std::make_unique<polygon<4>>(std::make_unique<polygon<3>>(nullptr)));

	while (clock_type::now() < until) {
		sink = sink + (unsigned long)(s->area(1));
		exceptions();
		containers();
		functions();
	}
}

int main(int argc, char **argv)
{
	until = clock_type::now() + std::chrono::milliseconds(argc > 1 ? atoi(argv[1]) : 500);
	std::vector<std::thread> threads;

	for (int i = 0; i < 3; i++)
		threads.emplace_back(run);
	run();
	for (auto &t : threads)
		t.join();
}
