/* Functions whose names are special in Markdown and HTML, for recordings by function_samples.py. */
static volatile long sink;

#define NAMED(id, name)                                              \
	__attribute__((noinline, used)) void id(void) __asm__(name); \
	void id(void)                                                \
	{                                                            \
		sink += __LINE__;                                    \
	}

NAMED(f0, "\"a|b`c<script>@user $x$ https://x.y [z](w)\"")
NAMED(f1, "\"c\\\\|d||\\\\\"")
NAMED(f2, "\"`\"")
NAMED(f3, "\"``x`` and more `\"")
NAMED(f4, "\":smile: #x GH-1 !1 user@host.org www.example.com *b* _i_ ~~s~~ <!-- &amp; &lt;\"")
NAMED(f5, "\"| --- | **x**\"")
NAMED(f6, "\"</code></td></table><img src=x>\"")
NAMED(f7, "\"$`x`$ ![i](http://x.y) - [ ] todo\"")

int main(void)
{
	return 0;
}
