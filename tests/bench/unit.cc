/*
 * One compile unit of a large program, for bench case srcline: much debug information for its code, as C++
 * has it. It is compiled once and linked many times over, each time with another name for bench_unit (see
 * run).
 */
#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <random>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

namespace
{
template <class K, class V> V look_up(const std::map<K, V> &m, K k)
{
	auto i = m.lower_bound(k);

	return i == m.end() ? V{} : i->second;
}

template <class T> T shuffle_and_sort(std::vector<T> &v, unsigned seed)
{
	std::minstd_rand r(seed);

	std::shuffle(v.begin(), v.end(), r);
	std::sort(v.begin(), v.end(), [](const T &a, const T &b) { return b < a; });
	return std::accumulate(v.begin(), v.end(), T{});
}
} // namespace

extern "C" unsigned bench_unit(unsigned seed);
unsigned bench_unit(unsigned seed)
{
	std::vector<unsigned> v(64);
	std::vector<double> d(32);
	std::map<unsigned, std::string> m;
	std::unordered_map<std::string, unsigned> counts;
	std::set<unsigned short> s;
	std::variant<unsigned, std::string> either;
	std::function<unsigned(unsigned)> next = [&](unsigned x) { return x * 1664525u + seed; };
	unsigned sum = 0;

	std::iota(v.begin(), v.end(), seed);
	std::iota(d.begin(), d.end(), 0.5);
	sum += shuffle_and_sort(v, seed) + static_cast<unsigned>(shuffle_and_sort(d, seed));
	for (unsigned i = 0; i < 40; i++) {
		m[next(i) % 97] = std::to_string(next(i));
		counts[std::to_string(next(i) % 31)]++;
		s.insert(static_cast<unsigned short>(next(i)));
		if (i % 2)
			either = look_up(m, i);
		else
			either = i;
		sum += std::visit(
			[](const auto &x) -> unsigned {
				if constexpr (std::is_integral_v<std::decay_t<decltype(x)>>)
					return x;
				else
					return static_cast<unsigned>(x.size());
			},
			either);
	}
	if (seed == 0) {
		std::stringstream text;
		std::regex words("([a-z]+)|([0-9]+)");

		for (const auto &c : counts)
			text << c.first << ' ' << c.second << '\n';
		sum += std::regex_search(text.str(), words);
	}
	return sum + static_cast<unsigned>(counts.size() + s.size());
}
