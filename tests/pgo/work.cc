// Work with templates, inlined functions, virtual and indirect calls, constructors, lambdas, exceptions.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

namespace
{
unsigned seed = 12345;
unsigned next_number()
{
	return seed = seed * 1103515245u + 12345u;
}
} // namespace

struct shape {
	virtual ~shape() = default;
	virtual double area() const = 0;
};
struct square : shape {
	double side;
	explicit square(double s) : side(s)
	{
	}
	double area() const override
	{
		return side * side;
	}
};
struct disc : shape {
	double radius;
	explicit disc(double r) : radius(r)
	{
	}
	double area() const override
	{
		return radius > 9 ? 3.14 * radius * radius : 3 * radius * radius;
	}
};

template <typename T> struct sum_of {
	T total{};
	void add(const T &x)
	{
		if (x > T{})
			total += x;
		else
			total -= x;
	}
};

[[gnu::noinline]] static int check(int x)
{
	if (x % 5000 == 4999)
		throw std::runtime_error("seldom");
	return x & 3;
}

template <typename F> [[gnu::noinline]] static long repeat(int n, F f)
{
	long r = 0;
	for (int i = 0; i < n; i++)
		r += f(i);
	return r;
}

static long words(int n)
{
	std::unordered_map<std::string, int> count;
	std::map<int, std::string> order;
	for (int i = 0; i < n; i++) {
		std::string w = "word" + std::to_string(next_number() % 997);
		order[count[w]++] = w;
	}
	return static_cast<long>(order.size() + count.size());
}

static long shapes(int n)
{
	std::vector<std::unique_ptr<shape>> v;
	sum_of<double> sum;
	for (int i = 0; i < n; i++) {
		if (next_number() % 8)
			v.push_back(std::make_unique<square>(i % 10));
		else
			v.push_back(std::make_unique<disc>(i % 20));
	}
	for (int k = 0; k < 10; k++)
		for (const auto &s : v)
			sum.add(s->area());
	return static_cast<long>(sum.total);
}

static long sorting(int n)
{
	std::vector<unsigned> v(static_cast<size_t>(n));
	std::generate(v.begin(), v.end(), next_number);
	std::sort(v.begin(), v.end(), [](unsigned a, unsigned b) { return (a >> 4) < (b >> 4); });
	sum_of<long> sum;
	for (unsigned x : v)
		sum.add(static_cast<long>(x & 7) - 3);
	return sum.total;
}

static long checking(int n)
{
	long r = 0;
	for (int i = 0; i < n; i++) {
		try {
			r += check(i);
		} catch (const std::exception &) {
			r--;
		}
	}
	return r;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 20;
	const std::function<long(int)> parts[] = { words, shapes, sorting, checking };
	long r = 0;
	for (int i = 0; i < n; i++)
		r += repeat(4, [&](int k) { return parts[k](20000); });
	printf("%ld\n", r);
}
