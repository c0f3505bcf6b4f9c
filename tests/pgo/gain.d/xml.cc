// What an XML parser is trained and measured with: xml SEED ROUNDS
// Makes documents from the seed; parses, queries and writes them.
#include <cstdio>
#include <cstdlib>
#include <malloc.h>
#include <string>
#include "pugixml.hpp"

static unsigned state;

static unsigned below(unsigned n)
{
	state = state * 1664525 + 1013904223;
	return (state >> 8) % n;
}

static std::string words(unsigned n)
{
	static const char *const list[] = { "river",  "stone", "a &amp; b", "light",       "&lt;none&gt;",
					    "winter", "of",    "the",       "caf\xc3\xa9", "&#65;lpha" };
	std::string text;
	while (n--)
		text += list[below(10)], text += n % 7 ? " " : "\n\t";
	return text;
}

static std::string item(unsigned id, int depth)
{
	std::string name = depth ? "part" : "item";
	std::string text = "<" + name + " id=\"" + std::to_string(id) + "\"";

	for (unsigned nr = below(5); nr; nr--)
		text += " key" + std::to_string(nr) +
			(below(2) ? "='" + words(1) + "'" : "=\"" + words(2) + "\"");
	if (!below(6))
		return text + "/>\n";
	text += ">";
	if (!below(8))
		text += "<!-- " + words(3).substr(0, 3) + " -->";
	text += "<title>" + words(1 + below(9)) + "</title>";
	if (!below(10))
		text += "<![CDATA[" + words(4) + "]]>";
	for (unsigned nr = depth < 3 ? below(3) : 0; nr; nr--)
		text += item(id * 3 + nr, depth + 1);
	return text + "<price>" + std::to_string(below(1000)) + ".50</price></" + name + ">\n";
}

struct counting_writer : pugi::xml_writer {
	size_t size = 0;
	void write(const void *, size_t length) override
	{
		size += length;
	}
};

static size_t walk(pugi::xml_node node)
{
	size_t sum = node.text().as_int();
	for (pugi::xml_attribute attribute : node.attributes())
		sum += attribute.as_string()[0] + attribute.name()[3];
	for (pugi::xml_node child : node.children())
		sum += walk(child);
	return sum;
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	// keep memory: page faults are no part of the measurement
	mallopt(M_MMAP_THRESHOLD, 1 << 28);
	mallopt(M_TRIM_THRESHOLD, 1 << 30);
	state = atoi(argv[1]);
	std::string text = "<?xml version=\"1.0\"?>\n<catalog>\n";
	for (unsigned id = 0; id < 3000; id++)
		text += item(id, 0);
	text += "</catalog>\n";
	size_t sum = 0;
	pugi::xpath_query cheap("count(//item[number(price) < 100 and @id])");
	pugi::xpath_query titled("//part[contains(title, 'stone')]");
	for (int round = atoi(argv[2]); round; round--) {
		pugi::xml_document document;
		unsigned options = round % 3 ? pugi::parse_default : pugi::parse_full;
		if (!document.load_buffer(text.data(), text.size(), options))
			return 1;
		sum += walk(document);
		if (round % 4 == 0)
			sum += cheap.evaluate_number(document) + document.select_nodes(titled).size();
		counting_writer out;
		document.save(out);
		sum += out.size;
	}
	printf("%zu\n", sum);
}
